import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { cardOf, press } from "../support/card.js";
import { post, type DrivenRun } from "../support/driven-run.js";
import { Stage } from "../support/stage.js";

/** What stands there once somebody has decided, and what they are shown before. */
export function settled(browser: () => Browser): void {
  describe("settled", () => {
    let stage: Stage;
    before(async () => {
      stage = await Stage.open(browser());
    });
    afterEach(() => stage.closePages());
    after(() => stage.close());

    const transfer = async (reported: unknown): Promise<DrivenRun> => {
      const run = await stage.run({ labels: { team: "payouts" } });
      await run.intent("bank_transfer", { account: "A-7", amount_cents: 480_000 });
      await run.report(reported);
      return run;
    };
    const settle = async (page: Page, name: string): Promise<void> => {
      await press(page, "It happened…");
      await page.getByLabel("transfer_id").fill("tr_9");
      await page.getByLabel("amount_cents").fill("480000");
      await page.getByLabel("Your name").fill(name);
      await press(page, "Review…");
    };

    it("says who is named before it is recorded, and that nobody is", async () => {
      const run = await transfer({});
      const page = await stage.page(`/runs/${run.id}`);
      await settle(page, "Sam");
      const dialog = page.getByRole("dialog");
      assert.match(await dialog.innerText(), /\bby\s+Sam\b/);
      await press(dialog, "Back");
      await dialog.waitFor({ state: "detached" });
      await page.getByLabel("Your name").fill("");
      await press(page, "Review…");
      assert.match(await dialog.innerText(), /\bby\s+nobody is named/);
    });

    it("says on the inbox what was recorded, that it is done, and who goes on", async () => {
      const run = await transfer({});
      const page = await stage.page();
      // Only this run's card is looked at.
      const card = cardOf(page, run);
      await press(card, "It happened…");
      await card.getByLabel("transfer_id").fill("tr_9");
      await card.getByLabel("amount_cents").fill("480000");
      await card.getByLabel("Your name").fill("Sam");
      await press(card, "Review…");
      await press(page.getByRole("dialog"), "Record: it happened");
      await card.getByText("Recorded: it happened.").waitFor();
      const said = await card.getByRole("status").innerText();
      for (const part of ["bank_transfer", "4,800.00", "tr_9", run.id.slice(0, 8), "Sam"])
        assert.ok(said.includes(part), `${part}: ${said}`);
      assert.match(said, /The client goes on when it asks again; nothing more to do here\./);
    });

    it("says on the run's page that a run without a driver waits for nobody, and who goes on", async () => {
      const run = await transfer({});
      const page = await stage.page(`/runs/${run.id}`);
      await settle(page, "Sam");
      await press(page.getByRole("dialog"), "Record: it happened");
      await page.getByText("Recorded: it happened.").waitFor();
      const again = await stage.page(`/runs/${run.id}`);
      await again.getByText("driver").waitFor();
      await again
        .getByText("The client goes on when it asks again; nothing more to do here.")
        .waitFor({ timeout: 15_000 });
    });

    it("shows on the run's page what the inbox shows of an open call", async () => {
      const run = await transfer({ transfer_id: "tr_9", amount_cents: 48_000 });
      const [inbox, page] = [await stage.page(), await stage.page(`/runs/${run.id}`)];
      const [card, own] = [cardOf(inbox, run), page.locator(".waits")];
      for (const place of [card, own]) {
        await place.getByRole("heading", { name: "bank_transfer" }).waitFor();
        await place.locator(".money", { hasText: "4,800.00" }).waitFor();
        assert.match(await place.getByRole("group", { name: "Input" }).innerText(), /"account": "A-7"/);
        assert.equal(await place.getByRole("button", { name: "Copy the idempotency key" }).count(), 1);
        await place.getByText("write", { exact: true }).waitFor();
        await place.getByText("A report was refused").waitFor();
      }
    });

    it("keeps a refused report on the run's page, and marks one that contradicts what is recorded", async () => {
      const run = await transfer({ transfer_id: "tr_9", amount_cents: 48_000 });
      await post(stage.access, `/v1/runs/${run.id}/resolve`, {
        seq: 1,
        output: { transfer_id: "tr_9", amount_cents: 480_000 },
      });
      const other = await transfer({ transfer_id: "tr_3", amount_cents: 480_000 });
      await post(stage.access, `/v1/runs/${other.id}/resolve`, {
        seq: 1,
        output: { transfer_id: "tr_3", amount_cents: 480_000 },
      });
      const denied = await transfer({ transfer_id: "tr_4", amount_cents: 480_000 });
      await post(stage.access, `/v1/runs/${denied.id}/resolve`, { seq: 1, not_performed: true });

      const reports = (await stage.page(`/runs/${run.id}`)).locator(".reports");
      await reports.getByText("Contradicts what is recorded").waitFor();
      assert.match(
        await reports.innerText(),
        /recorded is 480000 \(4,800\.00\), this says 48000 \(480\.00\)/,
      );
      const agreeing = (await stage.page(`/runs/${other.id}`)).locator(".reports");
      await agreeing.getByText("It says what is recorded.").waitFor();
      assert.equal(await agreeing.getByText("Contradicts").count(), 0);
      const against = (await stage.page(`/runs/${denied.id}`)).locator(".reports");
      await against.getByText("Contradicts what is recorded").waitFor();
      assert.match(await against.innerText(), /recorded is that it did not happen/);
    });

    it("shows what a client reported after its run was over", async () => {
      const run = await transfer({});
      await post(stage.access, `/v1/runs/${run.id}/abandon`, {});
      const page = await stage.page(`/runs/${run.id}`);
      await page.locator(".reports").getByText("A report was refused").waitFor();
    });

    it("asks for at least one extension of a budget, and says what a number there means", async () => {
      const run = await stage.run();
      await run.event("BudgetExceeded", { budget: { kind: "steps", limit: 5 }, observed: 6 });
      const page = await stage.page();
      const card = cardOf(page, run);
      await card.getByText("The run has used 6 of its 5 steps.").waitFor();
      await press(card, "Extend and resume…");
      assert.match(await card.locator(".decision").innerText(), /added to.*not a new total/is);
      await press(card, "Review…");
      await card.getByText("Give at least one extension").waitFor();
      await page.waitForFunction(() => document.activeElement?.getAttribute("aria-invalid") === "true");
      for (const given of ["{}", '{"extend":{}}', '{"extend":{"steps":0}}', '{"extend":{"cost_usd":-1}}']) {
        await card.getByLabel("As JSON").fill(given);
        await press(card, "Review…");
        assert.equal(await page.getByRole("dialog").count(), 0, given);
      }
      await card.getByLabel("As JSON").fill('{"extend":{}}');
      await card.getByLabel("steps").fill("10");
      await press(card, "Review…");
      const dialog = page.getByRole("dialog");
      assert.match(await dialog.innerText(), /6 of its 5 steps/);
      assert.match(await dialog.innerText(), /steps\s+10 more, on top of the limit of 5/);
      await press(dialog, "Resume with this extension");
      await card.getByText("Recorded: the run is resumed.").waitFor();
      assert.deepEqual((await run.log())[2].event.payload, { input: { extend: { steps: 10 } } });
    });
  });
}
