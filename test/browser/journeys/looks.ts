import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, afterEach, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { cardOf, press } from "../support/card.js";
import { post, type DrivenRun } from "../support/driven-run.js";
import { Stage } from "../support/stage.js";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

interface AxeWindow {
  readonly axe: {
    run(): Promise<{
      readonly violations: readonly {
        readonly id: string;
        readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
      }[];
    }>;
  };
}

/** Whoever looks: with a keyboard only, with a reader, on a small screen, at night. */
export function looks(browser: () => Browser): void {
  describe("looks", () => {
    let stage: Stage;
    let payout: DrivenRun;
    let asking: DrivenRun;
    let ended: DrivenRun;
    let transfer: DrivenRun;
    let budget: DrivenRun;
    let contradicted: DrivenRun;
    before(async () => {
      stage = await Stage.open(browser());
      payout = await stage.run({
        labels: { team: "payouts", region: "eu-west-1", merchant: "Miller & Sons" },
      });
      await payout.intent("bank_payout", { merchant_id: "M-7", amount_cents: 125_000 });
      await payout.report({ payout_id: "po_1", amount_cents: 120_000 });
      asking = await stage.run();
      await asking.event("Suspended", {
        reason: "Is this the right address?",
        input_schema: {
          type: "object",
          properties: { right: { type: "boolean" }, lines: { type: "array", items: { type: "string" } } },
        },
      });
      ended = await stage.run({ labels: { team: "refunds" } });
      await ended.intent("refund_card", { order_id: "A-1", amount_cents: 500 });
      await ended.report({ refund_id: "re_1", amount_cents: 500 });
      await ended.event("RunCompleted", { output: { refunded: true } });
      await post(stage.access, `/v1/client-runs`, {});
      const asked = { account: "DE02 1203 0000 0000 2020 51", amount_cents: 480_000 };
      transfer = await stage.run();
      await transfer.intent("bank_transfer", asked);
      await transfer.report({ transfer_id: "tr_1", amount_cents: 48_000 });
      budget = await stage.run();
      await budget.event("BudgetExceeded", { budget: { kind: "tokens", limit: 20_000 }, observed: 20_431 });
      contradicted = await stage.run();
      await contradicted.intent("bank_transfer", asked);
      await contradicted.report({ transfer_id: "tr_1", amount_cents: 48_000 });
      await post(stage.access, `/v1/runs/${contradicted.id}/resolve`, {
        output: { transfer_id: "tr_1", amount_cents: 480_000 },
        note: "seen in the books of the provider, ".repeat(4),
        operator: "Sam",
      });
    });
    afterEach(() => stage.closePages());
    after(() => stage.close());

    /** Every view, as far as it can be gone into. */
    const views: readonly (readonly [name: string, open: (page: Page) => Promise<void>])[] = [
      [
        "inbox",
        async (page) => {
          await page.goto(`${stage.url}/`);
          await cardOf(page, payout).getByText("A report was refused").waitFor();
        },
      ],
      [
        "form",
        async (page) => {
          await press(cardOf(page, payout), "It happened…");
          await press(cardOf(page, payout), "Review…");
          await page.getByText("This is required.").waitFor();
          await press(cardOf(page, asking), "Answer and resume…");
          await press(cardOf(page, asking), "Add lines");
          await press(cardOf(page, asking), "Add an item");
        },
      ],
      [
        "confirmation",
        async (page) => {
          await cardOf(page, payout).getByLabel("payout_id").fill("po_7");
          await press(cardOf(page, payout), "Review…");
          await page.getByRole("dialog").waitFor();
        },
      ],
      [
        "warnings",
        async (page) => {
          await page.goto(`${stage.url}/`);
          const card = cardOf(page, transfer);
          await press(cardOf(page, budget), "Extend and resume…");
          await press(cardOf(page, budget), "Review…");
          await press(card, "It happened…");
          await card.getByLabel("transfer_id").fill("tr_1");
          await card.getByLabel("amount_cents").fill("48000");
          await card.getByText("What the server said").click();
          await press(card, "Review…");
          await page.getByRole("dialog").getByText("This is not what was asked for.").waitFor();
        },
      ],
      [
        "warnings behind the confirmation",
        async (page) => {
          await press(page.getByRole("dialog"), "Back");
          await cardOf(page, transfer).locator(".warning").waitFor();
        },
      ],
      [
        "contradicted run",
        async (page) => {
          await page.goto(`${stage.url}/runs/${contradicted.id}`);
          await page.getByText("Contradicts what is recorded").waitFor();
          await page.getByText("nothing more to do here").waitFor();
        },
      ],
      [
        "runs",
        async (page) => {
          await page.goto(`${stage.url}/runs`);
          await page.locator("tbody tr").nth(2).waitFor();
        },
      ],
      [
        "run",
        async (page) => {
          await page.goto(`${stage.url}/runs/${payout.id}?at=0`);
          await page.locator("#event-1").waitFor();
          await page.locator("#event-1 summary").click();
          await page.getByRole("button", { name: "It happened…" }).waitFor();
        },
      ],
      [
        "ended run",
        async (page) => {
          await page.goto(`${stage.url}/runs/${ended.id}`);
          await page.locator("#event-3").waitFor();
        },
      ],
      [
        "tools",
        async (page) => {
          await page.goto(`${stage.url}/tools`);
          await page.getByText("Example input").first().click();
        },
      ],
      [
        "token",
        async (page) => {
          await press(page, "Token…");
          await page.getByRole("dialog").waitFor();
        },
      ],
    ];

    for (const colorScheme of ["light", "dark"] as const) {
      it(`leaves axe nothing to say of any view, in ${colorScheme}`, async () => {
        // The policy of the page lets nobody else's script in; this one comes past it.
        const page = await stage.page("/", { colorScheme, bypassCSP: true });
        for (const [name, open] of views) {
          await open(page);
          await page.addScriptTag({ path: AXE });
          const { violations } = await page.evaluate(() => (window as unknown as AxeWindow).axe.run());
          const found = violations.flatMap(({ id, nodes }) =>
            nodes.map(
              ({ html, failureSummary }) => `${name}: ${id}: ${html.slice(0, 160)}: ${failureSummary ?? ""}`,
            ),
          );
          assert.deepEqual(found, []);
        }
      });
    }

    it("needs no scrolling sideways at 360 px, in any view", async () => {
      const page = await stage.page("/", { viewport: { width: 360, height: 740 } });
      for (const [name, open] of views) {
        await open(page);
        const { width, wide } = await page.evaluate(() => ({
          width: document.documentElement.scrollWidth,
          wide: [...document.querySelectorAll("body *")]
            .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
            .map((each) => `${each.tagName}.${each.className}`)
            .slice(0, 5),
        }));
        assert.equal(width, 360, `${name} is ${width} px wide: ${wide.join(", ")}`);
      }
    });

    it("is worked by keyboard alone, from the first key to the recorded decision", async () => {
      const run = await stage.run();
      await run.event("Suspended", {
        reason: "By keyboard?",
        input_schema: { type: "object", required: ["comment"], properties: { comment: { type: "string" } } },
      });
      const page = await stage.page();
      await cardOf(page, run).getByText("By keyboard?").waitFor();
      const tabTo = async (test: (name: string, card: boolean) => boolean): Promise<void> => {
        for (let pressed = 0; pressed < 80; pressed += 1) {
          await page.keyboard.press("Tab");
          const [name, isHere] = await page.evaluate((id) => {
            const at = document.activeElement;
            const named = at instanceof HTMLInputElement ? at.labels?.[0] : at;
            const label = named?.textContent ?? "";
            return [label, Boolean(at?.closest(`[aria-labelledby="run-${id}"], dialog`))] as const;
          }, run.id);
          if (test(name, isHere)) return;
        }
        assert.fail("no key leads there");
      };
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Skip to the content");
      await tabTo((name, isHere) => isHere && name.startsWith("Answer and resume"));
      await page.keyboard.press("Enter");
      await tabTo((name, isHere) => isHere && name.startsWith("comment"));
      await page.keyboard.type("yes");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Back");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await tabTo((name, isHere) => isHere && name === "Review…");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
      await tabTo((name) => name === "Resume with this answer");
      await page.keyboard.press("Space");
      await cardOf(page, run).getByText("Recorded: the run is resumed.").waitFor();
      assert.deepEqual((await run.log()).at(-1).event.payload, { input: { comment: "yes" } });
    });
  });
}
