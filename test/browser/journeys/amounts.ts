import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { cardOf, press } from "../support/card.js";
import type { DrivenRun } from "../support/driven-run.js";
import { Stage } from "../support/stage.js";

/** How much: typed, shown, and held against what was asked for. */
export function amounts(browser: () => Browser): void {
  describe("amounts", () => {
    let stage: Stage;
    before(async () => {
      stage = await Stage.open(browser());
    });
    afterEach(() => stage.closePages());
    after(() => stage.close());

    const opened = async (): Promise<{ run: DrivenRun; page: Page; card: Locator; json: Locator }> => {
      const run = await stage.run();
      await run.intent("bank_transfer", { account: "A-7", amount_cents: 480_000 });
      await run.report({ transfer_id: "tr_1", amount_cents: 48_000 });
      const page = await stage.page();
      const card = cardOf(page, run);
      await press(card, "It happened…");
      return { run, page, card, json: card.getByLabel("As JSON") };
    };
    /** The field of a name, with what stands below it. */
    const fieldOf = (card: Locator, name: string): Locator =>
      card.locator(".field", { has: card.page().getByLabel(name) });

    it("take a number only where it is plainly meant, and say how it is written", async () => {
      const { card, json, page } = await opened();
      await card.getByLabel("transfer_id").fill("tr_1");
      const field = fieldOf(card, "amount_cents");
      const input = card.getByLabel("amount_cents");
      for (const typed of [
        ...["480.00", "480.0", "48000.", "4.8e4", "48e3", "48,000", "48.000", "48 000", "48'000"],
        ...["48_000", "048000", "+48000", "-0", "0x10", "1 2", "Infinity", "true", '"48000"'],
      ]) {
        await input.fill(typed);
        assert.equal(await input.getAttribute("aria-invalid"), "true", typed);
        assert.equal(await input.inputValue(), typed);
        assert.match(await field.innerText(), /a whole number, as 48000/i, typed);
        assert.ok(!Object.hasOwn(JSON.parse(await json.inputValue()) as object, "amount_cents"), typed);
      }
      await press(card, "Review…");
      assert.equal(await page.getByRole("dialog").count(), 0);
      // What was pasted with a space about it means nothing else.
      for (const typed of ["48000", " 48000 ", "-48000", "0"]) {
        await input.fill(typed);
        assert.equal(await input.getAttribute("aria-invalid"), "false", typed);
        assert.equal((JSON.parse(await json.inputValue()) as { amount_cents: number }).amount_cents, +typed);
      }
      // Cents are counted, also where a schema would let them be anything.
      await card.getByLabel("fee_cents").fill("4.00");
      assert.equal(await card.getByLabel("fee_cents").getAttribute("aria-invalid"), "true");
      await card.getByLabel("rate").fill("1.10");
      assert.equal(await card.getByLabel("rate").getAttribute("aria-invalid"), "false");
      for (const typed of ["1,10", "1e1", ".5", "1.", "1 000.5"]) {
        await card.getByLabel("rate").fill(typed);
        assert.equal(await card.getByLabel("rate").getAttribute("aria-invalid"), "true", typed);
      }
    });

    it("that are typed wrong stay there while another field is filled whose name begins alike", async () => {
      const run = await stage.run();
      await run.event("Suspended", {
        reason: "How much?",
        input_schema: {
          type: "object",
          properties: { amount: { type: "string" }, amount_cents: { type: "integer" } },
        },
      });
      const card = cardOf(await stage.page(), run);
      await press(card, "Answer and resume…");
      await card.getByLabel("amount_cents").fill("480.00");
      await card.getByLabel("amount", { exact: false }).first().fill("four");
      assert.equal(await card.getByLabel("amount_cents").inputValue(), "480.00");
    });

    it("are held to the same where they are written as JSON", async () => {
      const { card, json, page } = await opened();
      for (const written of ["480.00", "4.8e2", "48000.0"]) {
        await json.fill(`{"transfer_id":"tr_1","amount_cents":${written}}`);
        assert.equal(await card.getByLabel("amount_cents").inputValue(), written);
        assert.match(await fieldOf(card, "amount_cents").innerText(), /a whole number, as 48000/i);
        await press(card, "Review…");
        assert.equal(await page.getByRole("dialog").count(), 0, written);
        await page.waitForFunction(() => document.activeElement?.getAttribute("aria-invalid") === "true");
        await page.getByRole("heading", { name: "Inbox" }).focus();
      }
      await json.fill('{"transfer_id":"tr_1","amount_cents":480000,"rate":1.0}');
      await press(card, "Review…");
      await page.getByRole("dialog").waitFor();
    });

    it("that differ from what was asked for are warned about in the report, at the field and before it is recorded", async () => {
      const { run, card, page, json } = await opened();
      const warning = /asked for 480000 \(4,800\.00\), this says 48000 \(480\.00\)/i;
      assert.match(await card.locator(".reports").innerText(), warning);
      await card.getByLabel("transfer_id").fill("tr_1");
      await card.getByLabel("amount_cents").fill("480000");
      assert.doesNotMatch(await fieldOf(card, "amount_cents").innerText(), /asked for/i);
      await card.getByLabel("amount_cents").fill("48000");
      assert.match(await fieldOf(card, "amount_cents").innerText(), warning);
      // It is described to whoever does not see it, too.
      const described = await card.getByLabel("amount_cents").getAttribute("aria-describedby");
      assert.match(await page.locator(`[id="${described ?? ""}"]`).innerText(), warning);
      await json.fill('{"transfer_id":"tr_1","amount_cents":48000,"account":"A-8"}');
      assert.match(await card.locator(".decision").innerText(), /account.*asked for A-7, this says A-8/is);
      await press(card, "Review…");
      const dialog = page.getByRole("dialog");
      assert.match(await dialog.innerText(), warning);
      assert.match(await dialog.innerText(), /account.*asked for A-7, this says A-8/is);
      // A warning is no refusal.
      await press(dialog, "Record: it happened");
      await card.getByText("Recorded: it happened.").waitFor();
      assert.equal((await run.log())[2].event.payload.output.amount_cents, 48_000);
    });

    it("say nothing where all is as it was asked for", async () => {
      const { card, page } = await opened();
      await card.getByLabel("transfer_id").fill("tr_1");
      await card.getByLabel("amount_cents").fill("480000");
      await press(card, "Review…");
      assert.doesNotMatch(await page.getByRole("dialog").innerText(), /asked for/i);
    });

    it("are read as money wherever they are cents: while they are typed, in the report and before it is recorded", async () => {
      const { card, page } = await opened();
      await card.locator(".reports [data-money='480.00']").waitFor();
      await card.getByLabel("transfer_id").fill("tr_1");
      for (const [typed, money] of [
        ["4", "0.04"],
        ["48000", "480.00"],
        ["480000", "4,800.00"],
      ] as const) {
        await card.getByLabel("amount_cents").fill(typed);
        assert.ok((await fieldOf(card, "amount_cents").innerText()).includes(money), money);
      }
      await press(card, "Review…");
      await page.getByRole("dialog").locator("[data-money='4,800.00']").waitFor();
    });

    it("that are pinned are read as money, too", async () => {
      const run = await stage.run();
      await run.intent("bank_payout", { merchant_id: "M-7", amount_cents: 125_000 });
      await run.report({});
      const card = cardOf(await stage.page(), run);
      await press(card, "It happened…");
      assert.ok((await fieldOf(card, "amount_cents").innerText()).includes("1,250.00"));
    });
  });
}
