import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { DeclarationInput } from "#salvor/declarations/index.js";
import { TestServer } from "../support/test-server.js";

/** Names that every object in JavaScript has, which here are names like any other. */
const TOOL: DeclarationInput = {
  name: "constructor",
  effect: "write",
  trust_completion: true,
  require_equal: ["toString"],
  idempotency_key: ["valueOf"],
  input_schema: { type: "object", required: ["toString", "valueOf"] },
  output_schema: { type: "object", required: ["toString"] },
};

void describe("names that objects inherit", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ tools: [TOOL] });
  });
  after(() => server.stop());

  it("are no members of an input that does not have them", async () => {
    const run = await server.open();
    for (const input of [{}, { toString: 1 }, { valueOf: 1 }]) {
      assert.equal((await run.intent(1, "constructor", input)).json.error.code, "bad_request");
    }
    for (const tool of ["toString", "hasOwnProperty", "__proto__", ""]) {
      assert.equal((await run.intent(1, tool, {})).json.error.code, "unknown_tool", tool);
    }
  });

  it("name a tool, its key and its pinned field like any other", async () => {
    const run = await server.open();
    const input = { toString: 1, valueOf: { constructor: [1] } };
    const first = await run.intent(1, "constructor", input);
    assert.equal(first.status, 200, first.text);
    assert.equal((await run.complete(1, { output: {} })).json.error.code, "bad_request");
    assert.equal(
      (await run.complete(1, { output: { toString: 2 } })).json.error.code,
      "client_completion_refused",
    );
    assert.equal((await run.complete(1, { output: { toString: 1 } })).status, 200);
    const again = await run.intent(3, "constructor", { ...input, hasOwnProperty: 5 });
    assert.deepEqual(again.json, { ...first.json, seq: 3, settled: true, output: { toString: 1 } });
  });

  it("label a run, stand in a payload, and filter nothing in a query", async () => {
    const run = await server.open({ started: false });
    const labels = { constructor: "a", toString: "b", "": "" };
    const payload = { agent_def_hash: "a", input: { valueOf: 1 }, labels, toJSON: "x" };
    assert.equal((await run.event(0, "RunStarted", payload)).status, 200);
    assert.equal((await run.event(0, "RunStarted", payload)).status, 200);
    assert.deepEqual((await run.log())[0].event.payload, payload);
    const { json } = await server.get("/v1/runs?constructor=1&__proto__=2");
    const listed = json.runs.find((each: { run: string }) => each.run === run.id);
    assert.deepEqual(listed.labels, labels);
  });
});
