import assert from "node:assert/strict";
import { it } from "node:test";
import { ToolSet } from "#salvor/index.js";
import { callMcpTool, isMcpAnswer } from "#salvor/mcp/index.js";
import { DurableRun, RunSuspended } from "#salvor/runtime/index.js";
import { holds } from "#salvor/log/events.js";
import type { JsonObject } from "#salvor/contract/json.js";
import { memoryStore, START } from "../../runtime/world.js";
import { call, scripted } from "../../support/mcp-servers.js";
import type { Behaviour } from "../../support/mcp-scenario.js";

const NO_TOOLS = { formatVersion: 1, generator: {}, inputs: {}, tools: {} };
const pay = {
  name: "pay",
  inputSchema: {
    type: "object",
    properties: { order: { type: "string" } },
    required: ["order"],
    additionalProperties: false,
  },
};
const requestedSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { sure: { type: "boolean" } },
  required: ["sure"],
};
const question = { method: "elicitation/create", params: { message: "Pay 900?", requestedSchema } };
const asks: Behaviour = {
  does: "answer",
  result: { resultType: "input_required", inputRequests: { confirm: question }, requestState: "state-1" },
};

it("a result of input_required parks the call, and its resume is a call of its own that carries the answer", async (t) => {
  const { server, journal, close } = await scripted(
    { modern: true, tools: [pay], calls: { pay: [asks, { does: "tell" }] } },
    { tools: { pay: { idempotencyKey: "order" } } },
  );
  t.after(close);
  const store = await memoryStore();
  const tools = new ToolSet(NO_TOOLS).include(server);
  const run = await DurableRun.start(store, START, tools);
  const program = (on: DurableRun) =>
    callMcpTool((name, input) => on.call(name, input), "pay", { order: "o1" });
  await assert.rejects(program(run), (error) => {
    assert.ok(error instanceof RunSuspended);
    assert.match(error.message, /Pay 900\?/);
    return true;
  });

  const resumed = await DurableRun.resume(store, run.runId, tools);
  const answer = (confirm: JsonObject, requestState = "state-1") => ({
    __salvor_answer: { requestState, inputResponses: { confirm } },
  });
  await assert.rejects(resumed.resumeWith(answer({ action: "accept", content: { sure: "yes" } })));
  await assert.rejects(resumed.resumeWith(answer({ action: "accept", content: { sure: true } }, "forged")));
  await assert.rejects(resumed.resumeWith({ content: [] }));
  await resumed.resumeWith(answer({ action: "accept", content: { sure: true } }));
  const result = await program(resumed);
  assert.equal(isMcpAnswer(result), false);

  const calls = (await journal()).flatMap((line) => (line.call === undefined ? [] : [line.params]));
  assert.equal(calls.length, 2);
  assert.deepEqual(calls[1]?.arguments, { order: "o1" });
  assert.equal(calls[1].requestState, "state-1");
  assert.deepEqual(calls[1].inputResponses, { confirm: { action: "accept", content: { sure: true } } });

  const log = await store.readLog(run.runId, 0, 100);
  const intents = log.flatMap((each) => (holds(each, "ToolCallRequested") ? [each.event.payload] : []));
  assert.equal(intents.length, 2);
  assert.equal(intents[0]?.idempotency_key, "pay:o1");
  assert.match(String(intents[1]?.idempotency_key), /^pay:o1#[0-9a-f]{16}$/);
  assert.deepEqual(intents[1]?.input, {
    order: "o1",
    ...answer({ action: "accept", content: { sure: true } }),
  });

  // Replayed, nothing is sent.
  const replayed = await DurableRun.resume(store, run.runId, tools);
  assert.deepEqual(await program(replayed), result);
  assert.equal((await journal()).filter((line) => line.call !== undefined).length, 2);
});

it("what a person declines is carried as well", async (t) => {
  const { server, journal, close } = await scripted({
    ...{ modern: true, tools: [pay] },
    calls: {
      pay: [
        { does: "answer", result: { resultType: "input_required", inputRequests: { q: question } } },
        { does: "tell" },
      ],
    },
  });
  t.after(close);
  const run = await DurableRun.start(await memoryStore(), START, new ToolSet(NO_TOOLS).include(server));
  const program = () => callMcpTool((name, input) => run.call(name, input), "pay", { order: "o1" });
  await assert.rejects(program(), RunSuspended);
  await run.resumeWith({ __salvor_answer: { inputResponses: { q: { action: "decline" } } } });
  await program();
  const last = (await journal()).findLast((line) => line.call === "pay");
  assert.deepEqual(last?.params?.inputResponses, { q: { action: "decline" } });
});

it("an answer of the wrong shape is refused before anything is sent", async (t) => {
  const { tool, calls, close } = await scripted({ modern: true, tools: [pay] });
  t.after(close);
  const input = { order: "o1", __salvor_answer: { requestState: 1 } };
  await assert.rejects(call(tool("pay"), input), { code: "invalid_input" });
  assert.equal(await calls("pay"), 0);
});

it("a server that wants what no person can be asked leaves a write's outcome unknown", async (t) => {
  const inputRequests = { s: { method: "sampling/createMessage", params: {} } };
  const { tool, close } = await scripted({
    ...{ modern: true, tools: [pay] },
    calls: { pay: [{ does: "answer", result: { resultType: "input_required", inputRequests } }] },
  });
  t.after(close);
  await assert.rejects(call(tool("pay"), { order: "o1" }), /asks for "s"/);
});

it("a server of an older revision cannot park a call", async (t) => {
  const { tool, close } = await scripted({
    tools: [pay],
    calls: { pay: [{ does: "answer", result: { content: [], resultType: "input_required" } }] },
  });
  t.after(close);
  assert.deepEqual(await call(tool("pay"), { order: "o1" }), { outcome: "output", output: { content: [] } });
});
