import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import {
  Runner,
  RunState,
  type Agent,
  type AgentInputItem,
  type FunctionTool,
  type ModelRequest,
  type RunConfig,
} from "@openai/agents";
import { WaitingError } from "#salvor/client/index.js";
import { HandlerError } from "#salvor/contract/handler-errors.js";
import { caught } from "../../client/support/caught.js";
import type { Turn } from "../support/desk.js";
import { breaks, call, END } from "../support/world-desk.js";
import { AgentDesk } from "./support/agent-desk.js";

const SETTLED = { refund_id: "re_7", amount_cents: 500 };
const TOLD = '{"amount_cents":500,"refund_id":"re_7"}';
const ONE: readonly Turn[] = [{ text: "", calls: [call("c1", "pay_out")] }, END];
/** Two equal payments at once. */
const TWICE: readonly Turn[] = [
  { text: "", calls: [call("c1", "pay_out"), call("c2", "pay_out")] },
  { text: "", calls: [call("c3", "pay_out", 2)] },
  END,
];

let desk: AgentDesk;
before(async () => {
  desk = await AgentDesk.start();
});
after(() => desk.server.remove());
beforeEach(() => {
  desk.reset();
});

type Undecided = Pick<RunState<unknown, Agent>, "getInterruptions" | "approve" | "reject">;

/** What the model is told of its calls, in a request. */
function toldIn({ input }: ModelRequest): readonly unknown[] {
  const items: readonly AgentInputItem[] = typeof input === "string" ? [] : input;
  return items.flatMap((item) => (item.type === "function_call_result" ? [item.output] : []));
}

const text = (words: string) => ({ type: "text", text: words });

/** Asks a person before each of some calls. */
function asking(tools: readonly FunctionTool[], isWanted: () => boolean = () => true): FunctionTool[] {
  return tools.map((tool) => ({
    ...tool,
    needsApproval: async (...[context, input, id]: Parameters<FunctionTool["needsApproval"]>) =>
      isWanted() || tool.needsApproval(context, input, id),
  }));
}

async function goOn(agent: Agent, runner: Runner, saved: string, decide: (state: Undecided) => void) {
  const state = await RunState.fromString(agent, saved);
  decide(state);
  return runner.run(agent, state);
}

describe("a call that was settled as performed, and declined", () => {
  /** A payment whose end nobody knew is settled. What the framework knows is as old as that it was not. */
  const settled = async () => {
    const first = await desk.process(ONE);
    desk.world.next(breaks);
    const result = await first.runner.run(first.agent, "Pay.");
    const [wait] = first.durable.waits(result);
    await desk.client.resolve(desk.runId, { seq: wait?.seq ?? -1, output: SETTLED });
    return { first, state: result.state, saved: result.state.toString() };
  };

  const WAYS: readonly [string, Partial<RunConfig>, object][] = [
    ["without a word", {}, {}],
    ["with words of their own", {}, { message: "I paid that myself" }],
    ["for good, with words", {}, { alwaysReject: true, message: "never again" }],
    ["in the words of the runner", { toolErrorFormatter: () => "no, thank you" }, {}],
  ];
  for (const [how, config, options] of WAYS) {
    it(`is told as it is recorded, when people decline it ${how}`, async () => {
      const { first, state, saved } = await settled();
      const runner = new Runner({ tracingDisabled: true, ...config });
      for (const item of state.getInterruptions()) state.reject(item, options);
      assert.equal((await runner.run(first.agent, state)).finalOutput, "Done.");
      assert.deepEqual(toldIn(first.model.requests[1] ?? assert.fail()), [text(TOLD)]);
      const before = await desk.events();
      // Another process, which declines it too: it asks the same.
      const second = await desk.process([]);
      const end = await goOn(second.agent, runner, saved, (read) => {
        for (const item of read.getInterruptions()) read.reject(item, options);
      });
      assert.equal(end.finalOutput, "Done.");
      // One that starts over, and declines nothing, as well.
      const third = await desk.process([]);
      assert.equal((await third.runner.run(third.agent, "Pay.")).finalOutput, "Done.");
      assert.deepEqual(await desk.events(), before);
      assert.equal(desk.world.attempts.length, 1);
    });

    it(`is told so also behind another call, in a process that was not there, when people decline it ${how}`, async () => {
      const script: readonly Turn[] = [
        ...ONE.slice(0, 1),
        { text: "", calls: [call("c2", "pay_out", 2)] },
        END,
      ];
      const first = await desk.process(script);
      desk.world.next(breaks, breaks);
      const runner = new Runner({ tracingDisabled: true, ...config });
      const { state } = await runner.run(first.agent, "Pay.");
      await desk.client.resolve(desk.runId, { seq: 3, output: SETTLED });
      for (const item of state.getInterruptions()) state.reject(item, { ...options, alwaysReject: false });
      const { state: later } = await runner.run(first.agent, state);
      await desk.client.resolve(desk.runId, { seq: 7, output: SETTLED });
      const second = await desk.process(script);
      const end = await goOn(second.agent, runner, later.toString(), () => undefined);
      assert.equal(end.finalOutput, "Done.");
      assert.deepEqual(toldIn(second.model.requests[0] ?? assert.fail()), [text(TOLD), text(TOLD)]);
      assert.equal(desk.world.attempts.length, 2);
    });
  }

  it("is told as it is recorded by a conversation that goes on from items alone, also when it streams", async () => {
    const script: readonly Turn[] = [...ONE.slice(0, 1), { text: "It was declined.", calls: [] }];
    const { first } = await settled();
    const items: AgentInputItem[] = [
      { role: "user", content: "Pay." },
      {
        type: "function_call",
        callId: "c1",
        name: "pay_out",
        arguments: JSON.stringify(call("c1", "pay_out").input),
      },
      {
        type: "function_call_result",
        callId: "c1",
        name: "pay_out",
        status: "completed",
        output: "I did not like it",
      },
    ];
    for (const stream of [true, false] as const) {
      const next = await desk.process(script);
      const result = stream
        ? await next.runner.run(next.agent, items, { stream })
        : await next.runner.run(next.agent, items);
      if ("completed" in result) await result.completed;
      assert.deepEqual(next.model.requests.flatMap(toldIn), stream ? [text(TOLD)] : []);
    }
    assert.equal(first.model.requests.length, 1);
  });

  it("is told as it is recorded where the provider keeps the conversation", async () => {
    await settled();
    const { durable, model } = await desk.process(ONE);
    const result = {
      type: "function_call_result",
      callId: "c1",
      name: "pay_out",
      status: "completed",
    } as const;
    const asked: ModelRequest = {
      ...{ modelSettings: {}, tools: [], outputType: "text", handoffs: [], tracing: false },
      input: [{ ...result, output: { type: "text", text: "Tool execution was not approved." } }],
      previousResponseId: "resp_0",
    };
    await durable.model(model, "scripted").getResponse(asked);
    assert.deepEqual(model.requests.flatMap(toldIn), [text(TOLD)]);
  });

  it("is told as failed when that is what is recorded", async () => {
    const first = await desk.process(ONE);
    desk.world.next(() => {
      throw new HandlerError("no such order");
    });
    await first.runner.run(first.agent, "Pay.");
    const again = await desk.process([], {});
    const tools = asking(again.durable.tools);
    const agent = again.agent.clone({ tools });
    const { state } = await again.runner.run(agent, "Pay.");
    for (const item of state.getInterruptions()) state.reject(item);
    assert.equal((await again.runner.run(agent, state)).finalOutput, "Done.");
  });

  it("stays declined when it was not performed", async () => {
    const { durable, runner, agent, model } = await desk.process(ONE);
    const careful = agent.clone({ tools: asking(durable.tools) });
    const { state } = await runner.run(careful, "Pay.");
    for (const item of state.getInterruptions()) state.reject(item, { message: "not today" });
    assert.equal((await runner.run(careful, state)).finalOutput, "Done.");
    assert.deepEqual(toldIn(model.requests[1] ?? assert.fail()), [text("not today")]);
    assert.equal(desk.world.attempts.length, 0);
  });

  it("is waited for in another process, whatever words stand for it", async () => {
    const first = await desk.process(ONE);
    desk.world.next(breaks);
    const { state } = await first.runner.run(first.agent, "Pay.");
    const second = await desk.process(ONE);
    const going = goOn(second.agent, second.runner, state.toString(), (read) => {
      for (const item of read.getInterruptions()) read.reject(item, { message: "It has been paid." });
    });
    const { wait } = await caught(going, WaitingError);
    assert.equal(wait.seq, 3);
    assert.deepEqual(second.model.requests, []);
  });

  it("is told as it is recorded where the program put words of an error", async () => {
    const first = await desk.process(ONE);
    const guarded = (tools: readonly FunctionTool[]) =>
      tools.map((tool) => ({
        ...tool,
        needsApproval: () => Promise.resolve(false),
        invoke: (...given: Parameters<FunctionTool["invoke"]>) =>
          tool
            .invoke(...given)
            .catch(
              (error: unknown) =>
                `An error occurred while running the tool. Please try again. Error: ${String(error)}`,
            ),
      }));
    desk.world.next(breaks);
    const agent = first.agent.clone({ tools: guarded(first.durable.tools) });
    await assert.rejects(first.runner.run(agent, "Pay."), WaitingError);
    await desk.client.resolve(desk.runId, { seq: 3, output: SETTLED });
    const words = "An error occurred while running the tool. Please try again. Error: WaitingError: it waits";
    const items: AgentInputItem[] = [
      { role: "user", content: "Pay." },
      {
        type: "function_call",
        callId: "c1",
        name: "pay_out",
        arguments: JSON.stringify(call("c1", "pay_out").input),
      },
      { type: "function_call_result", callId: "c1", name: "pay_out", status: "completed", output: words },
    ];
    const second = await desk.process(ONE);
    const altered = second.agent.clone({ tools: guarded(second.durable.tools) });
    assert.equal((await second.runner.run(altered, items)).finalOutput, "Done.");
    assert.deepEqual(second.model.requests.flatMap(toldIn), [text(TOLD)]);
  });
});

describe("a result that the program changes", () => {
  it("stays as it is, in another process too: it is not to be told to the model", async () => {
    const script: readonly Turn[] = [
      ...ONE.slice(0, 1),
      { text: "", calls: [call("c2", "pay_out", 2)] },
      END,
    ];
    const start = async () => {
      const started = await desk.process(script);
      const tools = started.durable.tools.map((tool) => ({
        ...tool,
        outputGuardrails: [
          {
            type: "tool_output" as const,
            name: "no ids",
            run: () =>
              Promise.resolve({ behavior: { type: "rejectContent" as const, message: "(kept back)" } }),
          },
        ],
      }));
      return { ...started, agent: started.agent.clone({ tools }) };
    };
    const first = await start();
    desk.world.next(() => SETTLED, breaks);
    const { state } = await first.runner.run(first.agent, "Pay.");
    await desk.client.resolve(desk.runId, { seq: 7, output: SETTLED });
    const second = await start();
    assert.equal(
      (await goOn(second.agent, second.runner, state.toString(), () => undefined)).finalOutput,
      "Done.",
    );
    assert.deepEqual(second.model.requests.flatMap(toldIn), [text("(kept back)"), text("(kept back)")]);
  });
});

describe("the second of two equal payments, when the first was declined", () => {
  it("is performed once, and is the one that is told of, here and in other processes", async () => {
    const start = async (script: readonly Turn[]) => {
      const started = await desk.process(script);
      return { ...started, agent: started.agent.clone({ tools: asking(started.durable.tools) }) };
    };
    const decide = (state: Undecided) => {
      const [declined, approved] = state.getInterruptions();
      state.reject(declined ?? assert.fail(), { message: "once is enough" });
      state.approve(approved ?? assert.fail());
    };
    const first = await start(TWICE);
    const { state } = await first.runner.run(first.agent, "Pay.");
    const saved = state.toString();
    decide(state);
    const { state: later } = await first.runner.run(first.agent, state);
    const told = [text("once is enough"), text('{"amount_cents":500,"refund_id":"re_1"}')];
    assert.deepEqual(toldIn(first.model.requests[1] ?? assert.fail()), told);
    assert.equal(desk.world.attempts.length, 1);
    const savedLater = later.toString();

    // Before the decision, in another process.
    const second = await start([]);
    const again = await goOn(second.agent, second.runner, saved, decide);
    assert.equal(again.interruptions.length, 1);
    assert.equal(desk.world.attempts.length, 1);

    // Behind it, at the next call.
    const third = await start(TWICE);
    const end = await goOn(third.agent, third.runner, savedLater, (read) => {
      for (const item of read.getInterruptions()) read.approve(item);
    });
    assert.equal(end.finalOutput, "Done.");
    assert.deepEqual(toldIn(third.model.requests[0] ?? assert.fail()).slice(0, 2), told);
    assert.equal(desk.world.attempts.length, 2);
  });

  it("is told apart from it when both were performed before", async () => {
    const first = await desk.process(TWICE.slice(0, 1).concat(END));
    await first.runner.run(first.agent, "Pay.");
    const before = await desk.events();
    const second = await desk.process([]);
    const agent = second.agent.clone({ tools: asking(second.durable.tools) });
    const { state } = await second.runner.run(agent, "Pay.");
    const [declined, approved] = state.getInterruptions();
    state.reject(declined ?? assert.fail());
    state.approve(approved ?? assert.fail());
    assert.equal((await second.runner.run(agent, state)).finalOutput, "Done.");
    assert.deepEqual(await desk.events(), before);
  });
});
