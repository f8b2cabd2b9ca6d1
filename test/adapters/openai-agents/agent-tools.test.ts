import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { Agent, RunState } from "@openai/agents";
import { DivergenceError, UndeliveredReportError } from "#salvor/client/index.js";
import { caught } from "../../client/support/caught.js";
import { scriptedTurn, type Turn } from "../support/desk.js";
import { breaks, call, END } from "../support/world-desk.js";
import { AgentDesk } from "./support/agent-desk.js";
import { ScriptedModel } from "./support/scripted-model.js";

const SETTLED = { refund_id: "re_7", amount_cents: 500 };
const paying = (id: string, order: number): readonly Turn[] => [
  { text: "", calls: [call(id, "pay_out", order)] },
  { text: `Paid ${order}.`, calls: [] },
];
const asking = (id: string, tool: string) => ({ id, tool, input: { input: "Pay." } });
const ONE_AFTER_ANOTHER: readonly Turn[] = [
  { text: "", calls: [asking("c1", "ask_first")] },
  { text: "", calls: [asking("c2", "ask_second")] },
  END,
];
const AT_ONCE: readonly Turn[] = [
  { text: "", calls: [asking("c1", "ask_first"), asking("c2", "ask_second")] },
  END,
];

describe("agents as tools in one run", () => {
  let desk: AgentDesk;
  before(async () => {
    desk = await AgentDesk.start();
  });
  after(() => desk.server.remove());
  beforeEach(() => {
    desk.reset();
  });

  /** A process that has just started: an agent that asks two others, which pay. */
  const start = async (script: readonly Turn[]) => {
    const started = await desk.process(script);
    const { durable, model } = started;
    const isScripted = script.length > 0;
    const sub = (name: string, order: number) => {
      const own = new ScriptedModel((results) =>
        scriptedTurn(results, isScripted ? paying(`n${order}`, order) : []),
      );
      const agent = new Agent({ name, model: durable.model(own, name), tools: [...durable.tools] });
      return { model: own, tool: agent.asTool({ toolName: `ask_${name}`, toolDescription: "Ask it." }) };
    };
    const [first, second] = [sub("first", 1), sub("second", 2)];
    const agent = new Agent({
      name: "Desk",
      model: durable.model(model, "desk"),
      tools: [first.tool, second.tool],
    });
    return { ...started, agent, first: first.model, second: second.model };
  };

  const over = async () => {
    const before = await desk.events();
    const again = await start([]);
    assert.equal((await again.runner.run(again.agent, "Pay.")).finalOutput, "Done.");
    assert.deepEqual(await desk.events(), before);
    assert.equal(desk.world.attempts.length, 2);
  };

  it("work one after another", async () => {
    const { runner, agent } = await start(ONE_AFTER_ANOTHER);
    assert.equal((await runner.run(agent, "Pay.")).finalOutput, "Done.");
    await over();
  });

  it("go on after a crash in the second, of which the agent that asks it is not told", async () => {
    const first = await start(ONE_AFTER_ANOTHER);
    const { port } = desk.server;
    desk.world.next(
      () => SETTLED,
      async () => {
        await desk.server.stop();
        return SETTLED;
      },
    );
    await caught(first.runner.run(first.agent, "Pay."), UndeliveredReportError);
    assert.equal(first.model.requests.length, 2);
    await desk.server.resume(undefined, port);
    // Over again, in a process in which the provider cannot be reached when the payment is known to have been made.
    const second = await start(ONE_AFTER_ANOTHER);
    await desk.client.resolve(desk.runId, { seq: (await desk.kinds()).length - 1, output: SETTLED });
    const answer = second.second.getResponse.bind(second.second);
    second.second.getResponse = () => Promise.reject(new Error("503"));
    await assert.rejects(second.runner.run(second.agent, "Pay."), /^Error: 503$/);
    assert.deepEqual(second.model.requests, []);
    second.second.getResponse = answer;
    assert.equal((await second.runner.run(second.agent, "Pay.")).finalOutput, "Done.");
    await over();
  });

  it("go on in another process from the state that was kept when the second waited for a person", async () => {
    const first = await start(ONE_AFTER_ANOTHER);
    desk.world.next(() => SETTLED, breaks);
    const result = await first.runner.run(first.agent, "Pay.");
    const [wait] = first.durable.waits(result);
    await desk.client.resolve(desk.runId, { seq: wait?.seq ?? -1, output: SETTLED });
    const second = await start(ONE_AFTER_ANOTHER);
    const state = await RunState.fromString(second.agent, result.state.toString());
    for (const item of state.getInterruptions()) state.approve(item);
    assert.equal((await second.runner.run(second.agent, state)).finalOutput, "Done.");
    await over();
  });

  it("are refused at once: the run stops with an error that says why, the same whenever it is repeated", async () => {
    const outer: number[] = [];
    for (let times = 0; times < 3; times += 1) {
      const { runner, agent, model } = await start(AT_ONCE);
      const error = await caught(runner.run(agent, "Pay."), DivergenceError);
      if (times === 0) assert.match(error.message, /One loop at a time drives a run/);
      outer.push(model.requests.length);
    }
    assert.deepEqual(outer, [1, 0, 0], "the agent that asked them is told nothing");
    assert.deepEqual(
      desk.performed().map(([tool]) => tool),
      ["pay_out"],
    );
  });
});
