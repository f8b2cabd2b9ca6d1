import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { cardOf, press } from "../support/card.js";
import { post } from "../support/driven-run.js";
import { Stage } from "../support/stage.js";

/** What is written for programs, and no sentence for a person. */
const TECHNICAL =
  /Authorization|Bearer|client_completion_refused|trust_completion|bad_request|divergence|wrong_state|output_schema|\/v1\//;

/** Whoever reads the page has not read the documents. */
export function plainWords(browser: () => Browser): void {
  describe("plain words", () => {
    let stage: Stage;
    before(async () => {
      stage = await Stage.open(browser());
    });
    afterEach(() => stage.closePages());
    after(() => stage.close());

    it("say of a refused report who says it and what to do, with the server's own words folded away", async () => {
      const payout = await stage.run();
      await payout.intent("bank_payout", { merchant_id: "M-7", amount_cents: 125_000 });
      await payout.report({ payout_id: "po_1", amount_cents: 125_000 });
      const refund = await stage.run();
      await refund.intent("refund_card", { order_id: "A-1", amount_cents: 500 });
      await refund.report({ refund_id: "re_1", amount_cents: 400 });
      await refund.report({ refund_id: 7, amount_cents: 500 });
      const page = await stage.page();
      const card = cardOf(page, payout);
      await card
        .getByText(
          "The client says this. Only a person closes bank_payout: check it against the provider's books before you believe it.",
        )
        .waitFor();
      assert.match(await card.innerText(), /Search the provider's books for this key/);
      await cardOf(page, refund).getByText("2 reports were refused").waitFor();
      for (const each of [card, cardOf(page, refund)]) {
        assert.doesNotMatch(await each.locator(".why").innerText(), TECHNICAL);
        assert.doesNotMatch(await each.locator(".reports").innerText(), TECHNICAL);
      }
      await card.getByText("What the server said").click();
      await card.locator(".reports code", { hasText: "client_completion_refused" }).waitFor();
    });

    it("say what was not recorded and why, with the server's own words folded away", async () => {
      const run = await stage.run();
      await run.intent("bank_payout", { merchant_id: "M-7", amount_cents: 125_000 });
      await run.report({});
      const page = await stage.page();
      const card = cardOf(page, run);
      await press(card, "It happened…");
      await card.getByLabel("payout_id").fill("7");
      await press(card, "Review…");
      await press(page.getByRole("dialog"), "Record: it happened");
      const alert = card.getByRole("alert");
      await alert.getByText("Not recorded.").waitFor();
      assert.doesNotMatch(await alert.innerText(), TECHNICAL);
      await alert.getByText("What the server said").click();
      await alert.getByText("output_schema").waitFor();
      // A hint of what else a value has to be does not stand below what is wrong with it.
      const field = card.locator(".field", { has: page.getByLabel("payout_id") });
      await field.locator(".problem").waitFor();
      assert.doesNotMatch(await field.locator(".note").allInnerTexts().then(String), /matches/);
      assert.match(await field.innerText(), /The provider's id\./);
    });

    it("stand beside each time: of which zone it is", async () => {
      const run = await stage.run();
      await run.intent("bank_payout", { merchant_id: "M-7", amount_cents: 100 });
      await run.report({});
      for (const [timezoneId, zone] of [
        ["UTC", "UTC"],
        ["Asia/Kolkata", "UTC+5:30"],
        ["America/St_Johns", "UTC-3:30"],
      ] as const) {
        const inbox = await stage.page("/", { timezoneId });
        const page = await stage.page(`/runs/${run.id}`, { timezoneId });
        await page.locator("#event-1").waitFor();
        await cardOf(inbox, run).getByText("A report was refused").waitFor();
        const times = [
          ...(await cardOf(inbox, run).locator("dd, .reports time").allInnerTexts()),
          ...(await page.locator("#event-1 time, .facts dd").allInnerTexts()),
        ].filter((text) => /\d\d:\d\d:\d\d/.test(text));
        assert.ok(times.length >= 4, times.join(" | "));
        for (const time of times) assert.ok(time.endsWith(` ${zone}`), `${time} is of ${zone}`);
      }
    });

    it("of an abandonment are not dressed as a settlement", async () => {
      const run = await stage.run();
      await run.intent("bank_payout", { merchant_id: "M-7", amount_cents: 100 });
      await run.report({});
      const page = await stage.page();
      const card = cardOf(page, run);
      const dress = (): Promise<string> =>
        card
          .getByRole("button", { name: "Review…" })
          .evaluate((button) => getComputedStyle(button).backgroundColor);
      await press(card, "It happened…");
      const settling = await dress();
      await press(card, "Close");
      await press(card, "Abandon…");
      assert.notEqual(await dress(), settling);
      await press(card, "Review…");
      await press(page.getByRole("dialog"), "Abandon the run");
      await card.getByText("Recorded: the run is abandoned.").waitFor();
      assert.equal(await card.locator(".notice-good").count(), 0);
    });

    it("of a person stand in line with what else an event says, however many they are", async () => {
      const run = await stage.run();
      await run.intent("bank_payout", { merchant_id: "M-7", amount_cents: 100 });
      await post(stage.access, `/v1/runs/${run.id}/resolve`, {
        seq: 1,
        output: { payout_id: "po_1", amount_cents: 100 },
        note: "seen in the ledger of the provider, ".repeat(12),
        operator: "Sam",
      });
      await run.wasSettled().event("RunFailed", { error: "no more of this, ".repeat(30) });
      const page = await stage.page(`/runs/${run.id}`);
      await page.locator("#event-3").waitFor();
      const left = (selector: string): Promise<number> =>
        page.locator(selector).evaluate((element) => {
          const range = document.createRange();
          range.selectNodeContents(element);
          return Math.min(...[...range.getClientRects()].map((line) => Math.round(line.left)));
        });
      const line = await left("#event-1 .event-key");
      assert.equal(await left("#event-2 .event-note"), line);
      assert.ok(Math.abs((await left("#event-3 .about")) - line) <= 1);
    });
  });

  describe("plain words before a server with tokens", () => {
    it("stand behind the question for a token, and where it was not given", async () => {
      const stage = await Stage.open(browser(), { tokens: true });
      try {
        for (const path of ["/", "/runs", "/tools", "/runs/00000000-0000-4000-8000-000000000000"]) {
          const page = await stage.page(path);
          await page.getByRole("dialog").waitFor();
          await page.locator("main .empty").waitFor();
          await page.getByText("Reading…").waitFor({ state: "detached" });
          assert.doesNotMatch(await page.locator("body").innerText(), TECHNICAL);
          await press(page.getByRole("dialog"), "Not now");
          assert.match(await page.locator("main").innerText(), /Token…/);
        }
      } finally {
        await stage.close();
      }
    });
  });
}
