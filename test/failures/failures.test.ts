// docs/failures.md, row by row: what the page says of a moment is what is expected here.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ClientRun, TransportError } from "#salvor/client/index.js";
import { toolsFor, World } from "../client/support/tools.js";
import { readPage } from "../docs/pages.js";
import { tableUnder } from "../docs/tables.js";
import { MODEL_MOMENTS, type ModelProgram } from "./model-moments.js";
import { MOMENTS } from "./moments.js";
import { Case, Desk, type TOOL_OF } from "./support/desk.js";
import { outcomeOf } from "./support/outcome.js";

const EFFECTS = ["read", "idempotent", "write"] as const satisfies readonly (keyof typeof TOOL_OF)[];

const page = readPage("docs/failures.md");
const rows = tableUnder(page, "A client, its line, its server");
const modelRows = tableUnder(page, "Calls of a model");

describe("what docs/failures.md says", () => {
  let desk: Desk;
  before(async () => {
    desk = await Desk.open();
  });
  after(() => desk.close());

  it("is said of every moment that is tried, and of no other", () => {
    assert.deepEqual(rows.map(([moment]) => moment).sort(), Object.keys(MOMENTS).sort());
    assert.deepEqual(modelRows.map(([moment]) => moment).sort(), Object.keys(MODEL_MOMENTS).sort());
  });

  for (const [moment = "", ...outcomes] of rows) {
    it(`holds for ${moment}`, async () => {
      assert.equal(outcomes.length, EFFECTS.length);
      for (const [at, effect] of EFFECTS.entries()) {
        if (outcomes[at] === "—") continue;
        const one = await Case.open(desk, effect);
        const run = (await MOMENTS[moment]!(one)) ?? (await one.again());
        assert.equal(await outcomeOf(one, run, effect), outcomes[at], effect);
      }
    });
  }

  for (const [moment = "", outcome] of modelRows) {
    it(`holds for ${moment}`, async () => {
      let asked = 0;
      const open = (runId?: string) =>
        ClientRun.open(desk.cut, toolsFor(new World()), { runId, agentDefHash: "desk@1" });
      const program: ModelProgram = {
        proxy: desk.proxy,
        ask: (run, died) =>
          run.model({ prompt: "Refund A-17?" }, () => {
            asked += 1;
            if (died === true) throw new TransportError("the model", new Error("nobody listens any more"));
            return Promise.resolve({ response: "Yes.", usage: { input_tokens: 4, output_tokens: 1 } });
          }),
      };
      const first = await open();
      await MODEL_MOMENTS[moment]!(program, first);
      assert.equal(asked, 1);
      assert.equal((await program.ask(await open(first.runId))).response, "Yes.");
      assert.equal(asked, outcome === "asked again" ? 2 : 1, outcome);
      assert.equal((await program.ask(await open(first.runId))).response, "Yes.");
      assert.equal(asked, outcome === "asked again" ? 2 : 1, "what is recorded is answered");
    });
  }
});
