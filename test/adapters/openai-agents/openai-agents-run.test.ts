import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { Agent, RunState, tool, ToolCallError } from "@openai/agents";
import { waitOf, WaitingError } from "#salvor/client/index.js";
import { HandlerError } from "#salvor/contract/handler-errors.js";
import { suspend } from "#salvor/contract/tool-outcome.js";
import { caught } from "../../client/support/caught.js";
import { scriptedTurn, type Turn } from "../support/desk.js";
import { breaks, call, END, TWO_CALLS, TWO_CALLS_KINDS } from "../support/world-desk.js";
import { AgentDesk } from "./support/agent-desk.js";
import { ScriptedModel } from "./support/scripted-model.js";

const PERFORMED = [
  ["pay_out", 3],
  ["find_order", 5],
  ["pay_out", 9],
];

describe("OpenAIAgentsRun", () => {
  let desk: AgentDesk;
  before(async () => {
    desk = await AgentDesk.start();
  });
  after(() => desk.server.remove());
  beforeEach(() => {
    desk.reset();
  });

  const settled = { refund_id: "re_7", amount_cents: 500 };

  it("records model calls and the tool calls that they ask for", async () => {
    const { runner, agent, durable } = await desk.process(TWO_CALLS);
    const result = await runner.run(agent, "Pay.");
    await durable.agentRun.complete(result.finalOutput ?? null);
    assert.equal(result.finalOutput, "Done.");
    assert.deepEqual(await desk.kinds(), TWO_CALLS_KINDS);
    const { usage } = await desk.client.run(desk.runId);
    assert.deepEqual(usage, { input_tokens: 10 + 12 + 13, output_tokens: 15 });
  });

  it("answers a run that is repeated from the log, without asking the model or running a tool", async () => {
    const first = await desk.process(TWO_CALLS);
    const live = await first.runner.run(first.agent, "Pay.");
    const before = await desk.events();
    const again = await desk.process([]);
    const replayed = await again.runner.run(again.agent, "Pay.");
    assert.deepEqual(replayed.output, live.output);
    assert.deepEqual(replayed.rawResponses, live.rawResponses);
    assert.equal(desk.world.attempts.length, 3);
    assert.deepEqual(await desk.events(), before);
  });

  it("makes an interruption of a write that nobody knows the end of, and goes on in another process when it is settled", async () => {
    const first = await desk.process(TWO_CALLS);
    desk.world.next(breaks);
    const result = await first.runner.run(first.agent, "Pay.");
    const [wait, ...others] = first.durable.waits(result);
    assert.ok(wait);
    assert.deepEqual(others, []);
    const { kind, seq, tool, input } = wait;
    assert.deepEqual(
      { kind, seq, tool, input },
      { kind: "reconciliation", seq: 3, tool: "pay_out", input: { order_id: "o-1", amount_cents: 500 } },
    );
    // The read behind it waits too: nothing is recorded behind an open call.
    const waiting = result.interruptions.map(({ name }) => name);
    assert.deepEqual(waiting, ["pay_out", "find_order"]);
    assert.equal(first.model.requests.length, 1);
    assert.deepEqual(first.durable.waits(result.state), [wait]);

    await desk.client.resolve(desk.runId, { seq, output: settled });

    const second = await desk.process(TWO_CALLS);
    const state = await RunState.fromString(second.agent, result.state.toString());
    for (const item of state.getInterruptions()) state.approve(item);
    const end = await second.runner.run(second.agent, state);
    assert.equal(end.finalOutput, "Done.");
    assert.deepEqual(desk.performed(), PERFORMED);
    assert.equal(second.model.requests.length, 2);

    // From the same state once more, as a process does that died before it kept another one.
    const third = await desk.process([]);
    const old = await RunState.fromString(third.agent, result.state.toString());
    assert.equal((await third.runner.run(third.agent, old)).finalOutput, "Done.");
    assert.equal(desk.world.attempts.length, 3);
  });

  it("answers a repeated run also what an interrupted one asked after it had gone on", async () => {
    const script: readonly Turn[] = [
      { text: "", calls: [call("c1", "find_order"), call("c2", "pay_out"), call("c3", "find_order", 2)] },
      END,
    ];
    const first = await desk.process(script);
    desk.world.next(() => settled, breaks);
    const result = await first.runner.run(first.agent, "Pay.");
    const [wait] = first.durable.waits(result);
    await desk.client.resolve(desk.runId, { seq: wait?.seq ?? -1, output: settled });
    // No approval: what was settled needs none.
    const end = await first.runner.run(first.agent, result.state);
    assert.equal(end.finalOutput, "Done.");
    const before = await desk.events();

    const again = await desk.process([]);
    const repeated = await again.runner.run(again.agent, "Pay.");
    assert.equal(repeated.finalOutput, "Done.");
    assert.deepEqual(await desk.events(), before);
  });

  it("asks the model alike whatever the order in which results came in", async () => {
    // The first call is held back by the framework, the second is not: its result comes first when the first goes on.
    const script: readonly Turn[] = [
      { text: "", calls: [call("c1", "look"), call("c2", "find_order")] },
      END,
    ];
    const look = (isHeld: boolean) =>
      tool({
        name: "look",
        description: "Look.",
        parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
        strict: false,
        needsApproval: isHeld,
        execute: () => "seen",
      });
    const first = await desk.process(script, { tools: [look(true)] });
    const result = await first.runner.run(first.agent, "Look.");
    assert.deepEqual(first.durable.waits(result), [], "it waits for nothing of Salvor's");
    for (const item of result.interruptions) result.state.approve(item);
    assert.equal((await first.runner.run(first.agent, result.state)).finalOutput, "Done.");

    const again = await desk.process([], { tools: [look(false)] });
    assert.equal((await again.runner.run(again.agent, "Look.")).finalOutput, "Done.");
  });

  it("makes an interruption of a suspension, whose answer becomes the call's result", async () => {
    const inputSchema = { type: "object", required: ["refund_id"] };
    desk.world.next(() => suspend("may I?", inputSchema));
    const script: readonly Turn[] = [{ text: "", calls: [call("c1", "reserve")] }, END];
    const { runner, agent, durable, model } = await desk.process(script);
    const result = await runner.run(agent, "Reserve.");
    const [wait] = durable.waits(result);
    assert.equal(wait?.kind, "suspension");
    assert.deepEqual(wait.inputSchema, inputSchema);
    await desk.client.resume(desk.runId, { seq: wait.pendingAt, input: settled });
    const end = await runner.run(agent, result.state);
    assert.equal(end.finalOutput, "Done.");
    const carried = model.requests[1]?.input.at(-1);
    assert.deepEqual(carried, {
      type: "function_call_result",
      name: "reserve",
      callId: "c1",
      status: "completed",
      output: { type: "text", text: '{"amount_cents":500,"refund_id":"re_7"}' },
    });
  });

  it("stops when a call is approved that nobody settled, and does not tell the model", async () => {
    const { runner, agent, durable, model } = await desk.process(TWO_CALLS);
    desk.world.next(breaks);
    const { state, interruptions } = await runner.run(agent, "Pay.");
    for (const item of interruptions) state.approve(item);
    const error = await caught(runner.run(agent, state), ToolCallError);
    assert.equal(waitOf(error.error)?.tool, "pay_out");
    assert.equal(model.requests.length, 1);
    assert.equal(desk.world.attempts.length, 1);

    await desk.client.resolve(desk.runId, { seq: 3, output: settled });
    const end = await runner.run(agent, error.state ?? assert.fail("it keeps its state"));
    assert.equal(end.finalOutput, "Done.");
    assert.deepEqual(durable.waits(end), []);
  });

  it("does not ask the model about a call that was rejected while it is open", async () => {
    const { runner, agent, model } = await desk.process(TWO_CALLS);
    desk.world.next(breaks);
    const { state, interruptions } = await runner.run(agent, "Pay.");
    for (const item of interruptions) state.reject(item);
    const error = await caught(runner.run(agent, state), WaitingError);
    assert.equal(error.wait.seq, 3);
    assert.equal(model.requests.length, 1);
  });

  it("tells the model of a call that is recorded as failed, and of an input that was refused", async () => {
    const refused = { ...call("c2", "pay_out"), input: { order_id: "o-2" } };
    const script: readonly Turn[] = [{ text: "", calls: [call("c1", "pay_out"), refused] }, END];
    const { runner, agent, model } = await desk.process(script);
    desk.world.next(() => {
      throw new HandlerError("no such order");
    });
    const { finalOutput } = await runner.run(agent, "Pay.");
    assert.equal(finalOutput, "Done.");
    const told = model.requests[1]?.input.slice(-2) as readonly { output: { text: string } }[];
    assert.equal(told[0]?.output.text, "pay_out failed (handler): no such order");
    assert.match(told[1]?.output.text ?? "", /amount_cents/);
    const asked = (await desk.kinds()).filter((kind) => kind === "ToolCallRequested");
    assert.equal(asked.length, 1, "what was refused is not recorded");
  });

  it("tells the model that arguments are no JSON, and records nothing of the call", async () => {
    const { durable, runner, agent, model } = await desk.process([
      { text: "", calls: [call("c1", "pay_out")] },
      END,
    ]);
    const [payOut] = durable.tools.filter(({ name }) => name === "pay_out");
    assert.match(String(await payOut?.invoke({} as never, "{", {})), /not JSON/);
    const getResponse = model.getResponse.bind(model);
    model.getResponse = async (request) => {
      const response = await getResponse(request);
      for (const item of response.output) if (item.type === "function_call") item.arguments = "{";
      return response;
    };
    assert.equal((await runner.run(agent, "Pay.")).finalOutput, "Done.");
    assert.ok(!(await desk.kinds()).includes("ToolCallRequested"));
  });

  it("stops with the error when the server cannot be reached, and goes on when it can", async () => {
    const { runner, agent, model } = await desk.process(TWO_CALLS);
    const { port } = desk.server;
    desk.world.next(async (input) => {
      await desk.server.stop();
      return { refund_id: "re_1", amount_cents: input.amount_cents };
    });
    const error = await caught(runner.run(agent, "Pay."), ToolCallError);
    assert.equal(error.error.name, "UndeliveredReportError");
    assert.equal(model.requests.length, 1);
    await desk.server.resume(undefined, port);
    assert.equal((await runner.run(agent, "Pay.")).finalOutput, "Done.");
    assert.equal(desk.world.attempts.length, 3);
  });

  it("records what a handed-over agent and an agent as a tool do in the same run", async () => {
    const nested: readonly Turn[] = [
      { text: "", calls: [call("n1", "pay_out", 3)] },
      { text: "Paid.", calls: [] },
    ];
    const outer = (name: string): readonly Turn[] => [
      { text: "", calls: [{ id: "c1", tool: "ask_payer", input: { input: "Pay." } }] },
      { text: "", calls: [{ id: "c2", tool: `transfer_to_${name}`, input: {} }] },
    ];
    const start = async (isScripted: boolean) => {
      const { durable, runner, model } = await desk.process(isScripted ? outer("Closer") : []);
      const other = new ScriptedModel((results) => scriptedTurn(results, isScripted ? nested : []));
      const last = new ScriptedModel(() => (isScripted ? END : assert.fail("the model was asked")));
      const tools = [...durable.tools];
      const payer = new Agent({ name: "Payer", model: durable.model(other, "payer"), tools });
      const closer = new Agent({ name: "Closer", model: durable.model(last, "closer"), tools });
      const ask = payer.asTool({ toolName: "ask_payer", toolDescription: "Ask the payer." });
      const agent = Agent.create({
        name: "Desk",
        model: durable.model(model, "desk"),
        tools: [ask],
        handoffs: [closer],
      });
      return runner.run(agent, "Pay.");
    };
    assert.equal((await start(true)).finalOutput, "Done.");
    const before = await desk.events();
    assert.equal((await start(false)).finalOutput, "Done.");
    assert.deepEqual(await desk.events(), before);
    assert.equal(desk.world.attempts.length, 1);
  });

  it("makes an interruption of a call of an agent as a tool, and goes on in it", async () => {
    const nested: readonly Turn[] = [
      { text: "", calls: [call("n1", "pay_out", 3)] },
      { text: "Paid.", calls: [] },
    ];
    const outer: readonly Turn[] = [
      { text: "", calls: [{ id: "c1", tool: "ask_payer", input: { input: "Pay." } }] },
      END,
    ];
    const { durable, runner, model } = await desk.process(outer);
    const other = new ScriptedModel((results) => scriptedTurn(results, nested));
    const payer = new Agent({
      name: "Payer",
      model: durable.model(other, "payer"),
      tools: [...durable.tools],
    });
    const ask = payer.asTool({ toolName: "ask_payer", toolDescription: "Ask the payer." });
    const agent = new Agent({ name: "Desk", model: durable.model(model, "desk"), tools: [ask] });
    desk.world.next(breaks);
    const result = await runner.run(agent, "Pay.");
    const [wait] = durable.waits(result);
    assert.equal(wait?.tool, "pay_out");
    await desk.client.resolve(desk.runId, { seq: wait.seq, output: settled });
    for (const item of result.interruptions) result.state.approve(item);
    assert.equal((await runner.run(agent, result.state)).finalOutput, "Done.");
    assert.equal(desk.world.attempts.length, 1);
    assert.deepEqual([model.requests.length, other.requests.length], [2, 2]);
  });

  it("refuses a call that no model made: it could not be found in the log again", async () => {
    const { durable } = await desk.process([]);
    await assert.rejects(async () => durable.tools[0]?.invoke({} as never, "{}"), TypeError);
  });
});
