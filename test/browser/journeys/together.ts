import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { cardOf, press } from "../support/card.js";
import { Stage } from "../support/stage.js";

/** Other people, and a server that comes and goes. */
export function together(browser: () => Browser): void {
  describe("together", () => {
    let stage: Stage;
    before(async () => {
      stage = await Stage.open(browser());
    });
    afterEach(() => stage.closePages());
    after(() => stage.close());

    it("lets one of two operators win, and tells the other what was recorded", async () => {
      const run = await stage.run();
      await run.intent("bank_payout", { merchant_id: "M-1", amount_cents: 100 });
      await run.report({});
      const [one, two] = [await stage.page(), await stage.page()];
      const [winner, loser] = [cardOf(one, run), cardOf(two, run)];
      for (const [card, id, name] of [
        [winner, "po_1", "Rina"],
        [loser, "po_2", "Sam"],
      ] as const) {
        await press(card, "It happened…");
        await card.getByLabel("payout_id").fill(id);
        await card.getByLabel("Your name").fill(name);
        await press(card, "Review…");
      }
      await press(one.getByRole("dialog"), "Record: it happened");
      await winner.getByText("Recorded: it happened.").waitFor();
      await press(two.getByRole("dialog"), "Record: it happened");
      await loser.getByText("Somebody else was faster. What you decided was not recorded.").waitFor();
      const told = await loser.getByRole("status").innerText();
      assert.match(told, /Rina settled it: it happened/);
      assert.match(told, /"po_1"/);
      const log = await run.log();
      assert.equal(log.length, 3);
      assert.equal(log[2].event.payload.output.payout_id, "po_1");
      // And the card is gone when it is read.
      await press(loser, "Dismiss");
      await loser.waitFor({ state: "detached" });
    });

    it("shows what begins to wait, and drops what waits no more, without a reload", async () => {
      const page = await stage.page();
      await page.getByText("Nothing waits for a person.").waitFor();
      const run = await stage.run();
      await run.event("Suspended", { reason: "Now?", input_schema: true });
      const card = cardOf(page, run);
      await card.getByText("Now?").waitFor();
      await fetch(`${stage.url}/v1/runs/${run.id}/resume`, { method: "POST", body: '{"seq":1,"input":1}' });
      await card.waitFor({ state: "detached" });
    });

    it("goes on by itself when the server was started again, says so, and keeps what was typed", async () => {
      const run = await stage.run();
      await run.intent("bank_payout", { merchant_id: "M-2", amount_cents: 200 });
      await run.report({});
      const [page, timeline] = [await stage.page(), await stage.page(`/runs/${run.id}`)];
      const card = cardOf(page, run);
      await press(card, "It happened…");
      await card.getByLabel("payout_id").fill("po_22");
      await timeline.getByText("bank_payout").first().waitFor();
      await stage.kill();
      await page.getByText("The server does not answer.").waitFor();
      await timeline.getByText("The server does not answer.").first().waitFor();
      await stage.startAgain();
      await page.getByText("The server is back").waitFor();
      await timeline.getByText("The server is back").waitFor();
      assert.equal(await card.getByLabel("payout_id").inputValue(), "po_22");
      await press(card, "Review…");
      await press(page.getByRole("dialog"), "Record: it happened");
      await card.getByText("Recorded: it happened.").waitFor();
      // The other page hears of it: its stream was taken up again.
      await timeline.locator("#event-2").waitFor();
    });

    it("does not say that a decision is recorded whose answer was lost, and finds out", async () => {
      const run = await stage.run();
      await run.intent("bank_payout", { merchant_id: "M-3", amount_cents: 300 });
      await run.report({});
      const page = await stage.page();
      const card = cardOf(page, run);
      await page.route("**/resolve", async (route) => {
        await route.fetch();
        await route.abort("connectionreset");
      });
      await press(card, "It happened…");
      await card.getByLabel("payout_id").fill("po_3");
      await press(card, "Review…");
      await press(page.getByRole("dialog"), "Record: it happened");
      await card.getByText("The answer was lost. This is what is recorded:").waitFor();
      assert.equal((await run.log()).length, 3);
    });
  });
}
