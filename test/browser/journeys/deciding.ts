import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { cardOf, press } from "../support/card.js";
import { Stage } from "../support/stage.js";

const PAYOUT = { merchant_id: "M-7", amount_cents: 125_000 };

/** A person settles, resumes and abandons. */
export function deciding(browser: () => Browser): void {
  describe("deciding", () => {
    let stage: Stage;
    before(async () => {
      stage = await Stage.open(browser());
    });
    afterEach(() => stage.closePages());
    after(() => stage.close());

    it("settles a write that happened: the pinned field is locked, and the confirmation repeats what it is", async () => {
      const run = await stage.run();
      const key = await run.intent("bank_payout", PAYOUT);
      await run.report({ payout_id: "po_1", amount_cents: 120_000 });
      const page = await stage.page();
      const card = cardOf(page, run);
      await card.getByText("A report was refused").waitFor();
      await press(card, "It happened…");
      const pinned = card.getByLabel("amount_cents");
      assert.equal(await pinned.inputValue(), "125000");
      assert.equal(await pinned.isEditable(), false);
      await card.getByLabel("payout_id").fill("po_7");
      await card.getByLabel("Note").fill("seen in the ledger");
      await card.getByLabel("Your name").fill("Rina");
      await press(card, "Review…");

      const dialog = page.getByRole("dialog");
      const words = await dialog.innerText();
      for (const part of [
        "bank_payout",
        "M-7",
        "125000",
        "1,250.00",
        key ?? "",
        run.id,
        "po_7",
        "seen in the ledger",
      ])
        assert.ok(words.includes(part), `the confirmation says ${part}: ${words}`);
      assert.equal((await run.log()).length, 2, "nothing is recorded before it is confirmed");
      await press(dialog, "Record: it happened");
      await card.getByText("Recorded: it happened.").waitFor();
      assert.deepEqual((await run.log())[2].event.payload, {
        seq: 1,
        output: { payout_id: "po_7", amount_cents: 125_000 },
        resolved_by: { operator: "Rina", note: "seen in the ledger" },
      });
    });

    it("settles a write that did not happen, with a note", async () => {
      const run = await stage.run();
      await run.intent("refund_card", { order_id: "A-1", amount_cents: 500 });
      const page = await stage.page();
      const card = cardOf(page, run);
      await press(card, "It did not happen…");
      await card.getByLabel("Note").fill("no such key at the provider");
      await press(card, "Review…");
      await press(page.getByRole("dialog"), "Record: it did not happen");
      await card.getByText("Recorded: it did not happen.").waitFor();
      const { output, resolved_by: by } = (await run.log())[2].event.payload;
      assert.equal(output.__salvor_error.attempts, 0);
      assert.deepEqual(by, { note: "no such key at the provider", not_performed: true });
    });

    it("shows what a resolution was refused for beside the field, keeps what was typed, and takes a better one", async () => {
      const run = await stage.run();
      await run.intent("bank_payout", PAYOUT);
      await run.report({ payout_id: "po_1", amount_cents: 1 });
      const page = await stage.page();
      const card = cardOf(page, run);
      await press(card, "It happened…");
      await card.getByLabel("payout_id").fill("7");
      await press(card, "Review…");
      await press(page.getByRole("dialog"), "Record: it happened");
      const id = card.getByLabel("payout_id");
      await card
        .locator(".field", { has: page.getByLabel("payout_id") })
        .locator(".problem", { hasText: "expected" })
        .waitFor();
      assert.equal(await id.getAttribute("aria-invalid"), "true");
      assert.equal(await id.inputValue(), "7");
      assert.equal((await run.log()).length, 2);
      await id.fill("po_8");
      assert.equal(await id.getAttribute("aria-invalid"), "false");
      await press(card, "Review…");
      await press(page.getByRole("dialog"), "Record: it happened");
      await card.getByText("Recorded: it happened.").waitFor();
      assert.equal((await run.log())[2].event.payload.output.payout_id, "po_8");
    });

    it("says what is required before anything is sent", async () => {
      const run = await stage.run();
      await run.intent("bank_payout", PAYOUT);
      await run.report({});
      const page = await stage.page();
      const card = cardOf(page, run);
      await press(card, "It happened…");
      await press(card, "Review…");
      await card.getByText("This is required.").waitFor();
      assert.equal(await page.getByRole("dialog").count(), 0);
      await page.waitForFunction(() => document.activeElement?.getAttribute("aria-invalid") === "true");
    });

    it("resumes a suspended run with an answer", async () => {
      const run = await stage.run();
      await run.event("Suspended", {
        reason: "Is this the right address?",
        input_schema: {
          type: "object",
          required: ["right"],
          properties: { right: { type: "boolean" }, comment: { type: "string" } },
        },
      });
      const page = await stage.page();
      const card = cardOf(page, run);
      await card.getByText("Is this the right address?").waitFor();
      await press(card, "Answer and resume…");
      await card.getByLabel("right").selectOption("true");
      await press(card, "Review…");
      await press(page.getByRole("dialog"), "Resume with this answer");
      await card.getByText("Recorded: the run is resumed.").waitFor();
      assert.deepEqual((await run.log())[2].event, { kind: "Resumed", payload: { input: { right: true } } });
    });

    it("extends a budget, and answers with nothing where that is an answer", async () => {
      const run = await stage.run();
      await run.event("BudgetExceeded", { budget: { kind: "steps", limit: 5 }, observed: 6 });
      const page = await stage.page();
      const card = cardOf(page, run);
      await card.getByText("The run has used 6 of its 5 steps.").waitFor();
      await press(card, "Extend and resume…");
      await card.getByLabel("steps").fill("10");
      await press(card, "Review…");
      await press(page.getByRole("dialog"), "Resume with this extension");
      await card.getByText("Recorded: the run is resumed.").waitFor();
      assert.deepEqual((await run.log())[2].event.payload, { input: { extend: { steps: 10 } } });
    });

    it("abandons a run, with the reason, after asking", async () => {
      const run = await stage.run();
      await run.intent("bank_payout", PAYOUT);
      await run.report({});
      const page = await stage.page();
      const card = cardOf(page, run);
      await press(card, "Abandon…");
      await card.getByLabel("Reason").fill("the merchant is gone");
      await press(card, "Review…");
      const dialog = page.getByRole("dialog");
      await dialog.getByText("What came of this call stays unknown").waitFor();
      await press(dialog, "Back");
      assert.equal((await run.log()).length, 2);
      await press(card, "Review…");
      await press(dialog, "Abandon the run");
      await card.getByText("Recorded: the run is abandoned.").waitFor();
      assert.deepEqual((await run.log())[2].event.payload, {
        reason: "the merchant is gone",
        unresolved_write: { seq: 1, tool: "bank_payout" },
      });
    });

    it("abandons nothing whose call its client has reported meanwhile, and says so", async () => {
      const run = await stage.run();
      await run.intent("refund_card", { order_id: "A-9", amount_cents: 500 });
      const page = await stage.page();
      const card = cardOf(page, run);
      await press(card, "Abandon…");
      await press(card, "Review…");
      assert.equal(await run.report({ refund_id: "re_9", amount_cents: 500 }), 200);
      await press(page.getByRole("dialog"), "Abandon the run");
      await card.getByText("Somebody else was faster. What you decided was not recorded.").waitFor();
      await card.getByText("re_9").waitFor();
      assert.deepEqual((await run.log()).at(-1).event.kind, "ToolCallCompleted");
    });

    it("sends a decision once, however often the button is pressed", async () => {
      const run = await stage.run();
      await run.intent("bank_payout", PAYOUT);
      await run.report({});
      const page = await stage.page();
      const card = cardOf(page, run);
      let sent = 0;
      await page.route("**/resolve", async (route) => {
        sent += 1;
        await route.continue();
      });
      await press(card, "It happened…");
      await card.getByLabel("payout_id").fill("po_9");
      await press(card, "Review…");
      await page
        .getByRole("button", { name: "Record: it happened" })
        .evaluate((button: HTMLButtonElement) => {
          button.click();
          button.click();
          button.click();
        });
      await card.getByText("Recorded: it happened.").waitFor();
      assert.equal(sent, 1);
    });
  });
}
