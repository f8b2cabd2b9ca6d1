import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { cardOf, press } from "../support/card.js";
import type { DrivenRun } from "../support/driven-run.js";
import { Stage } from "../support/stage.js";

/** What was typed and is not recorded yet. */
export function drafts(browser: () => Browser): void {
  describe("drafts", () => {
    let stage: Stage;
    before(async () => {
      stage = await Stage.open(browser());
    });
    afterEach(() => stage.closePages());
    after(() => stage.close());

    const payout = async (): Promise<DrivenRun> => {
      const run = await stage.run();
      await run.intent("bank_payout", { merchant_id: "M-7", amount_cents: 125_000 });
      await run.report({});
      return run;
    };
    const fill = async (place: Page | Locator): Promise<void> => {
      await place.getByLabel("payout_id").fill("po_77");
      await place.getByLabel("fee_cents").fill("1.x");
      await place.getByLabel("Note").fill("in the ledger");
      await place.getByLabel("Your name").fill("Sam");
    };
    const isThere = async (place: Page | Locator): Promise<void> => {
      await place.getByLabel("payout_id").waitFor();
      for (const [label, typed] of [
        ["payout_id", "po_77"],
        ["fee_cents", "1.x"],
        ["Note", "in the ledger"],
        ["Your name", "Sam"],
      ] as const)
        assert.equal(await place.getByLabel(label).inputValue(), typed);
    };

    it("stay while somebody looks elsewhere, on whichever page they go on, until they are recorded", async () => {
      const run = await payout();
      const page = await stage.page();
      await press(cardOf(page, run), "It happened…");
      await fill(cardOf(page, run));
      await cardOf(page, run).locator(".facts").getByRole("link").click();
      await page.getByRole("heading", { name: /^Run/ }).waitFor();
      await isThere(page);
      await page.getByRole("link", { name: "Tools" }).click();
      await page.getByRole("heading", { name: "Tools" }).waitFor();
      await page.goBack();
      await isThere(page);
      await page.getByRole("link", { name: "Inbox", exact: true }).click();
      await isThere(cardOf(page, run));
      await page.getByLabel("fee_cents").fill("");
      await press(cardOf(page, run), "Review…");
      await press(page.getByRole("dialog"), "Record: it happened");
      await cardOf(page, run).getByText("Recorded: it happened.").waitFor();
      await page.goto(`${stage.url}/runs/${run.id}`);
      await page.locator("#event-2").waitFor();
      assert.equal(await page.getByLabel("payout_id").count(), 0);
    });

    it("stay when the form is closed, each with its own decision, and in no store of the browser", async () => {
      const run = await payout();
      const page = await stage.page();
      const card = cardOf(page, run);
      await press(card, "It happened…");
      await fill(card);
      await press(card, "Close");
      await press(card, "It did not happen…");
      assert.equal(await card.getByLabel("Note").inputValue(), "");
      await press(card, "Close");
      await press(card, "It happened…");
      await isThere(card);
      const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
      assert.doesNotMatch(stored, /po_77|in the ledger/);
    });

    it("are of one call: the next one of the run begins with an empty form", async () => {
      const run = await payout();
      const page = await stage.page(`/runs/${run.id}`);
      await press(page, "It happened…");
      await fill(page);
      await page.getByLabel("fee_cents").fill("");
      await press(page, "Review…");
      await press(page.getByRole("dialog"), "Record: it happened");
      await page.getByText("Recorded: it happened.").waitFor();
      run.wasSettled();
      await run.intent("bank_payout", { merchant_id: "M-7", amount_cents: 3 });
      await run.report({});
      await press(page, "It happened…");
      assert.equal(await page.getByLabel("payout_id").inputValue(), "");
      assert.equal(await page.getByLabel("Note").inputValue(), "");
    });
  });

  describe("drafts before a server with tokens", () => {
    it("are gone when the token is forgotten", async () => {
      const stage = await Stage.open(browser(), { tokens: true });
      try {
        const run = await stage.run();
        await run.event("Suspended", { reason: "Which?", input_schema: { type: "string" } });
        const page = await stage.page();
        const give = async (): Promise<void> => {
          await page.getByRole("dialog").locator("input").fill("operator-token-of-the-tests");
          await press(page.getByRole("dialog"), "Use this token");
        };
        await give();
        const card = cardOf(page, run);
        await press(card, "Answer and resume…");
        await card.getByLabel("The answer").fill("secret");
        await press(page, "Forget token");
        await give();
        await press(card, "Answer and resume…");
        assert.equal(await card.getByLabel("The answer").inputValue(), "");
      } finally {
        await stage.close();
      }
    });
  });
}
