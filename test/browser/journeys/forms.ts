import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { cardOf, press } from "../support/card.js";
import type { DrivenRun } from "../support/driven-run.js";
import { Stage } from "../support/stage.js";

/** Forms that are drawn from schemas, and the JSON beside them. */
export function forms(browser: () => Browser): void {
  describe("forms", () => {
    let stage: Stage;
    before(async () => {
      stage = await Stage.open(browser());
    });
    afterEach(() => stage.closePages());
    after(() => stage.close());

    const opened = async (): Promise<{ run: DrivenRun; page: Page; card: Locator; json: Locator }> => {
      const run = await stage.run();
      await run.intent("ship_order", { order_id: "A-1" });
      await run.report({});
      const page = await stage.page();
      const card = cardOf(page, run);
      await press(card, "It happened…");
      return { run, page, card, json: card.getByLabel("As JSON") };
    };

    it("draw choices, lists, bounds, formats and alternatives, and record what was filled in", async () => {
      const { run, page, card, json } = await opened();
      await card.getByLabel("carrier").selectOption("ups");
      await card.getByLabel("insured").selectOption("false");
      await card.getByLabel("shipped_at").fill("2026-01-31T09:30:00Z");
      await press(card, "Add an item");
      await card.getByLabel("weight_kg").fill("2.50");
      await press(card, "Add an item");
      await card.getByLabel("weight_kg").nth(1).fill("3");
      await press(card, "Remove parcels 2");
      await card.getByLabel("Which").selectOption({ label: "to a locker" });
      await card.getByLabel("locker").fill("12");
      const output = {
        parcels: [{ weight_kg: 2.5 }],
        carrier: "ups",
        insured: false,
        shipped_at: "2026-01-31T09:30:00Z",
        delivery: { kind: "locker", locker: 12 },
      };
      assert.deepEqual(JSON.parse(await json.inputValue()), output);
      await press(card, "Review…");
      await press(page.getByRole("dialog"), "Record: it happened");
      await card.getByText("Recorded: it happened.").waitFor();
      assert.deepEqual((await run.log())[2].event.payload.output, output);
    });

    it("follow the JSON, wait while it cannot be read, and show what is in it besides", async () => {
      const { card, json } = await opened();
      await json.fill(
        '{"carrier":"dhl","delivery":{"kind":"door","street":"Elm 1"},"parcels":[{"weight_kg":1}],"odd":1}',
      );
      assert.equal(await card.getByLabel("carrier").inputValue(), "0");
      assert.equal(await card.getByLabel("street").inputValue(), "Elm 1");
      assert.equal(await card.getByLabel("weight_kg").inputValue(), "1");
      await card.getByText("Also in the JSON: odd").waitFor();
      await json.fill('{"carrier":');
      await card.getByText("The fields wait until the JSON can be read again.").waitFor();
      assert.equal(await card.getByLabel("carrier").isDisabled(), true);
      await press(card, "Review…");
      assert.equal(await card.page().getByRole("dialog").count(), 0);
    });

    it("lose no digit: what a double would round is refused where it is typed", async () => {
      const { card, json } = await opened();
      await press(card, "Add an item");
      for (const typed of ["9007199254740993", "1e400", "12,50", "--1"]) {
        await card.getByLabel("weight_kg").fill(typed);
        assert.equal(await card.getByLabel("weight_kg").inputValue(), typed);
        assert.equal(await card.getByLabel("weight_kg").getAttribute("aria-invalid"), "true", typed);
        assert.deepEqual(JSON.parse(await json.inputValue()).parcels, [{}]);
      }
      await json.fill('{"fee":9007199254740993}');
      await card.getByText("9007199254740993 is an integer beyond 2^53-1").waitFor();
      await json.fill('{"a":1,"a":2}');
      await card.getByText("duplicate key").waitFor();
      await json.fill('{"__proto__":1}');
      await card.getByText("the key __proto__ is not accepted").waitFor();
    });

    it("hold a pinned field in the JSON too", async () => {
      const run = await stage.run();
      await run.intent("bank_payout", { merchant_id: "M-1", amount_cents: 900 });
      await run.report({});
      const page = await stage.page();
      const card = cardOf(page, run);
      await press(card, "It happened…");
      await card.getByLabel("As JSON").fill('{"payout_id":"po_1","amount_cents":901}');
      await card.getByText("This is pinned: it has to be 900, as in the input.").waitFor();
      await press(card, "Review…");
      assert.equal(await page.getByRole("dialog").count(), 0);
    });

    it("are there at once also for a schema that refers to itself in every way, and add what is wanted", async () => {
      const names = Array.from({ length: 12 }, (_, at) => `m${at}`);
      const run = await stage.run();
      await run.event("Suspended", {
        reason: "How deep?",
        input_schema: {
          type: "object",
          required: names,
          properties: Object.fromEntries(names.map((name) => [name, { $ref: "#" }])),
          anyOf: names.map(() => ({ $ref: "#" })),
          $defs: { list: { type: "array", items: { $ref: "#/$defs/list" } } },
        },
      });
      const other = await stage.run();
      await other.event("Suspended", {
        reason: "How long?",
        input_schema: {
          type: "object",
          required: ["next", "all"],
          properties: {
            next: { $ref: "#" },
            all: { type: "array", items: { anyOf: [{ $ref: "#" }, { $ref: "#" }, { type: "null" }] } },
          },
        },
      });
      const page = await stage.page();
      for (const one of [run, other]) await press(cardOf(page, one), "Answer and resume…");
      await cardOf(page, run).getByLabel("As JSON").fill('{"m0":{"m0":{"m0":{}}}}');
      const card = cardOf(page, other);
      await card.getByRole("button", { name: "Add an item" }).first().click();
      assert.match(await card.getByLabel("As JSON").inputValue(), /"all": \[\n +(?:null|\{)/);
    });

    it("fall back to JSON for what they cannot draw", async () => {
      const run = await stage.run();
      await run.event("Suspended", { reason: "Anything?", input_schema: true });
      const page = await stage.page();
      const card = cardOf(page, run);
      await press(card, "Answer and resume…");
      await card.getByText("Its schema cannot be drawn as fields.").waitFor();
      await card.getByLabel("As JSON").fill("null");
      await press(card, "Review…");
      await press(page.getByRole("dialog"), "Resume with this answer");
      await card.getByText("Recorded: the run is resumed.").waitFor();
      assert.deepEqual((await run.log())[2].event.payload, { input: null });
    });
  });
}
