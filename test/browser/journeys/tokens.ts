import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { cardOf, press } from "../support/card.js";
import { CLIENT_TOKEN, OPERATOR_TOKEN, Stage } from "../support/stage.js";

/** The page before a server that has tokens. */
export function tokens(browser: () => Browser): void {
  describe("tokens", () => {
    let stage: Stage;
    before(async () => {
      stage = await Stage.open(browser(), { tokens: true });
    });
    afterEach(() => stage.closePages());
    after(() => stage.close());

    const give = async (page: Page, token: string): Promise<void> => {
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox").or(dialog.locator("input")).first().fill(token);
      await press(dialog, "Use this token");
    };

    it("are asked for once, refused when they are wrong, and kept in this tab alone", async () => {
      const run = await stage.run();
      await run.event("Suspended", { reason: "Shall it go on?", input_schema: true });
      const page = await stage.page("/inbox");
      await page.getByText("This server is read and driven with a token.").waitFor();
      await give(page, "wrong");
      await page.getByText("The server does not accept this token").waitFor();
      await give(page, OPERATOR_TOKEN);
      await page.getByText("Shall it go on?").waitFor();
      await page.reload();
      await page.getByText("Shall it go on?").waitFor();
      assert.deepEqual(
        await page.evaluate(() => [
          localStorage.length,
          document.cookie,
          sessionStorage.getItem("salvor.token"),
        ]),
        [0, "", OPERATOR_TOKEN],
      );
      assert.ok(!page.url().includes(OPERATOR_TOKEN));
      await press(page, "Forget token");
      await page.getByText("This server is read and driven with a token.").waitFor();
    });

    it("of a client read, and do not decide: the operator's is asked for, and what was typed stays", async () => {
      const run = await stage.run();
      await run.intent("bank_payout", { merchant_id: "M-1", amount_cents: 100 });
      await run.report({});
      const page = await stage.page();
      await give(page, CLIENT_TOKEN);
      const card = cardOf(page, run);
      await press(card, "It happened…");
      await card.getByLabel("payout_id").fill("po_5");
      await card.getByLabel("Note").fill("typed before");
      await press(card, "Review…");
      await press(page.getByRole("dialog"), "Record: it happened");
      await page.getByText("Only the operator decides this.").waitFor();
      assert.equal((await run.log()).length, 2);
      await give(page, OPERATOR_TOKEN);
      assert.equal(await card.getByLabel("payout_id").inputValue(), "po_5");
      assert.equal(await card.getByLabel("Note").inputValue(), "typed before");
      await press(card, "Review…");
      await press(page.getByRole("dialog"), "Record: it happened");
      await card.getByText("Recorded: it happened.").waitFor();
    });

    it("that are not valid any more are asked for again, and what was typed stays", async () => {
      const run = await stage.run();
      await run.intent("bank_payout", { merchant_id: "M-1", amount_cents: 100 });
      await run.report({});
      const page = await stage.page();
      await give(page, OPERATOR_TOKEN);
      const card = cardOf(page, run);
      await press(card, "It happened…");
      await card.getByLabel("payout_id").fill("po_6");
      // What an answer is when the operator has given the server another token.
      await page.route("**/v1/**", (route) =>
        route.fulfill({
          status: 401,
          headers: { "www-authenticate": "Bearer" },
          json: { error: { code: "unauthorized", message: "the bearer token is not one of this server" } },
        }),
      );
      await page.getByText("The server does not accept this token").waitFor();
      await page.unroute("**/v1/**");
      await give(page, OPERATOR_TOKEN);
      assert.equal(await card.getByLabel("payout_id").inputValue(), "po_6");
    });
  });
}
