import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  DivergenceError,
  ToolFailedError,
  WaitingError,
  type AgentRun,
  type TurnAsk,
} from "#salvor/client/index.js";
import { HandlerError } from "#salvor/contract/handler-errors.js";
import { caught } from "./support/caught.js";
import { openAgent, reply } from "./support/scripted-agent.js";
import { RunSetting } from "./support/run-setting.js";

const ask = (id: string, amount_cents = 500) => ({
  id,
  tool: "pay_out",
  input: { order_id: "o-1", amount_cents },
});
const paid = (n: number, amount_cents = 500) => ({ refund_id: `re_${n}`, amount_cents });

describe("the call that an ask is", () => {
  const own = RunSetting.use();

  const open = () => openAgent(own.client, own.world, own.runId);
  const asking = (agent: AgentRun, ...calls: readonly TurnAsk[]) =>
    agent.model({ asks: calls.map(({ id }) => id) }, () => Promise.resolve(reply({ calls })));

  it("is the second one's own where the first of two for the same was declined", async () => {
    const agent = await open();
    await asking(agent, ask("c1"), ask("c2"));
    const carried = [{ ...ask("c1"), told: "denial" as const }, ask("c2")];
    assert.deepEqual(await agent.call(ask("c2"), { carried }), paid(1));
    // Whoever repeats it, with the same people's decisions, is answered.
    assert.deepEqual(await (await open()).call(ask("c2"), { carried }), paid(1));
    assert.deepEqual(await (await open()).endsOf([carried]), [new Map()]);
    assert.equal(own.world.attempts.length, 1);
  });

  it("is the declined one's where as many are recorded as were asked for", async () => {
    const agent = await open();
    await asking(agent, ask("c1"), ask("c2"));
    await agent.call(ask("c1"));
    const carried = [{ ...ask("c1"), told: "denial" as const }, ask("c2")];
    assert.deepEqual(await agent.call(ask("c2"), { carried }), paid(2));
    for (const one of [agent, await open()]) {
      assert.deepEqual(await one.call(ask("c2"), { carried }), paid(2));
      assert.deepEqual(await one.endsOf([carried]), [new Map([["c1", { output: paid(1) }]])]);
    }
    assert.equal(own.world.attempts.length, 2);
  });

  it("is the failed one where an error was told, and not the one that is to be made", async () => {
    own.world.next(() => {
      throw new HandlerError("no such order");
    });
    const agent = await open();
    await asking(agent, ask("c1"), ask("c2"));
    await caught(agent.call(ask("c1")), ToolFailedError);
    const carried = [{ ...ask("c1"), told: "error" as const }, ask("c2")];
    const next = await open();
    assert.deepEqual(await next.call(ask("c2"), { carried }), paid(2));
    const [ends] = await (await open()).endsOf([carried]);
    const end = ends?.get("c1");
    assert.ok(end !== undefined && "failure" in end && end.failure instanceof ToolFailedError);
    assert.equal(own.world.attempts.length, 2);
  });

  for (const broken of ["c1", "c2"])
    for (const what of ["input", "tool"] as const)
      it(`is found again where the ${what} of ${broken} was repaired to the same as its neighbour's`, async () => {
        const agent = await open();
        const asks = [ask("c1"), ask("c2")];
        const wrong = ({ input, ...each }: TurnAsk) =>
          what === "input" ? each : { ...each, tool: "PayOut", input };
        await asking(agent, ...asks.map((each) => (each.id === broken ? wrong(each) : each)));
        for (const each of asks) await agent.call(each);
        for (const order of [asks, asks.toReversed()]) {
          const again = await open();
          for (const each of order) assert.deepEqual(await again.call(each), paid(each.id === "c1" ? 1 : 2));
        }
        assert.equal(own.world.attempts.length, 2);
      });

  it("is not an edited one's that asks for the same since, when the loop says so", async () => {
    const agent = await open();
    await asking(agent, ask("c1", 300), ask("c2"));
    assert.deepEqual(await agent.call(ask("c1")), paid(1));
    const next = await open();
    assert.deepEqual(await next.call(ask("c2"), { carried: [ask("c1"), ask("c2")] }), paid(2));
    assert.equal(own.world.attempts.length, 2);
  });

  it("is none of the recorded ones when more of them are for the same than were asked for", async () => {
    const agent = await open();
    await asking(agent, ask("c1", 300), ask("c2"));
    await agent.call(ask("c1"));
    await agent.call(ask("c2"));
    const error = await caught((await open()).call(ask("c2")), DivergenceError);
    assert.match(error.message, /call 5 is one for the same more than the model asked for/);
    assert.equal(own.world.attempts.length, 2);
  });

  it("is made with the input that a program repaired, and found again by it", async () => {
    const broken = { id: "c1", tool: "pay_out" };
    const agent = await open();
    await asking(agent, broken, ask("c2"));
    assert.deepEqual(await agent.call(ask("c1")), paid(1));
    assert.deepEqual(await agent.call(ask("c2")), paid(2));
    const next = await open();
    assert.deepEqual(await next.call(ask("c2"), { carried: [ask("c1"), ask("c2")] }), paid(2));
    assert.deepEqual(await next.call(ask("c1")), paid(1));
    assert.equal(own.world.attempts.length, 2);
  });

  it("is its own beside one that was repaired to something else", async () => {
    const agent = await open();
    await asking(agent, { id: "c1", tool: "pay_out" }, ask("c2"));
    await agent.call(ask("c1", 300));
    assert.deepEqual(await (await open()).call(ask("c2")), paid(2));
  });

  it("is the edited one's of the answer that was given last, where an earlier answer has an ask of that id", async () => {
    const agent = await open();
    await agent.model("first", () => Promise.resolve(reply({ calls: [ask("call_0")] })));
    await agent.call(ask("call_0"));
    await agent.model("second", () => Promise.resolve(reply({ calls: [ask("call_0", 300)] })), {
      answered: ["call_0"],
    });
    assert.deepEqual(await agent.call(ask("call_0", 200)), paid(2, 200));
    // Either the first answer's again, or the second's, edited.
    await caught(agent.call(ask("call_0")), DivergenceError);
    assert.equal(own.world.attempts.length, 2);
  });

  it("is made where an ask before it was not repaired", async () => {
    const agent = await open();
    await asking(agent, { id: "c1", tool: "pay_out" }, ask("c2"));
    assert.deepEqual(await agent.call(ask("c2")), paid(1));
    assert.deepEqual(await (await open()).call(ask("c2")), paid(1));
  });

  it("is not made when it may be recorded as it was repaired before", async () => {
    const agent = await open();
    await asking(agent, { id: "c1", tool: "pay_out" }, ask("c2"));
    await agent.call(ask("c1", 300));
    await agent.call(ask("c2"));
    const error = await caught((await open()).call(ask("c1", 301)), DivergenceError);
    assert.match(error.message, /call 3 may be it, with another input/);
    assert.equal(own.world.attempts.length, 2);
  });

  it("is told apart by a loop that does not hold the answer, and is handed its asks", async () => {
    const agent = await open();
    await asking(agent, ask("c1"), ask("c2"));
    const carried = (asks: readonly TurnAsk[]) => {
      assert.deepEqual(asks, [ask("c1"), ask("c2")]);
      return [{ id: "c1", told: "denial" as const }];
    };
    assert.deepEqual(await agent.call(ask("c2"), { carried }), paid(1));
    assert.deepEqual(await (await open()).call(ask("c2"), { carried }), paid(1));
    assert.equal(own.world.attempts.length, 1);
  });
});

describe("what a model would be told of a call", () => {
  const own = RunSetting.use();

  const open = () => openAgent(own.client, own.world, own.runId);
  const dangling = async (): Promise<AgentRun> => {
    own.world.next(() => {
      throw new Error("connection lost");
    });
    const agent = await open();
    await agent.model("a", () => Promise.resolve(reply({ calls: [ask("c1")] })));
    await caught(agent.call(ask("c1")), WaitingError);
    return agent;
  };

  for (const told of ["denial", "error", "words"] as const)
    it(`is not the ${told} told of a call that waits for a person, nor of one that was settled since`, async () => {
      const agent = await dangling();
      const carried = [[{ ...ask("c1"), told }]];
      const { wait } = await caught(agent.endsOf(carried), WaitingError);
      assert.equal(wait.seq, 3);
      await own.client.resolve(own.runId, { seq: 3, output: paid(1), operator: "ann" });
      for (const one of [agent, await open()])
        assert.deepEqual(await one.endsOf(carried), [new Map([["c1", { output: paid(1) }]])]);
    });

  it("is found by the id of the ask alone, where a request holds no more of it", async () => {
    const agent = await open();
    await agent.model("a", () => Promise.resolve(reply({ calls: [ask("c1"), ask("c2", 300)] })));
    await agent.call(ask("c1"));
    const carried = [
      { id: "c1", tool: "pay_out", told: "error" as const },
      { id: "c2", told: "error" as const },
    ];
    for (const one of [agent, await open()])
      assert.deepEqual(await one.endsOf([carried]), [new Map([["c1", { output: paid(1) }]])]);
  });

  it("is compared where words may be its output: they are the failed one's last, and the declined one's never", async () => {
    own.world.next(
      () => paid(1),
      () => {
        throw new HandlerError("no such order");
      },
    );
    const agent = await open();
    await agent.model("a", () => Promise.resolve(reply({ calls: [ask("c1"), ask("c2"), ask("c3")] })));
    const decided = { carried: [{ id: "c1", told: "denial" as const }] };
    await agent.call(ask("c2"), decided);
    await caught(agent.call(ask("c3"), decided), ToolFailedError);
    const carried = [
      { ...ask("c1"), told: "denial" as const },
      { ...ask("c2"), told: "words" as const },
      { ...ask("c3"), told: "error" as const },
    ];
    const [ends] = await (await open()).endsOf([carried]);
    assert.deepEqual([...(ends?.keys() ?? [])], ["c2", "c3"]);
    assert.deepEqual(ends?.get("c2"), { output: paid(1) });
    const end = ends.get("c3");
    assert.ok(end !== undefined && "failure" in end);
  });

  it("is what the loop says of calls that are not recorded, and of tools that are not the run's", async () => {
    const agent = await open();
    const foreign = { id: "c2", tool: "draw", input: {} };
    await agent.model("a", () => Promise.resolve(reply({ calls: [ask("c1"), foreign] })));
    const carried = [ask("c1"), foreign].map((one) => ({ ...one, told: "denial" as const }));
    assert.deepEqual(await agent.endsOf([carried]), [new Map()]);
    assert.deepEqual(await agent.endsOf([[{ ...ask("c9"), told: "denial" }], []]), [new Map(), new Map()]);
  });

  it("is told of the right answer where models number their asks anew in each", async () => {
    const agent = await open();
    await agent.model(1, () => Promise.resolve(reply({ calls: [ask("call_0")] })));
    await agent.call(ask("call_0"));
    await agent.model(2, () => Promise.resolve(reply({ calls: [ask("call_0")] })), { answered: ["call_0"] });
    const carried = [{ ...ask("call_0"), told: "denial" as const }];
    for (const one of [agent, await open()])
      assert.deepEqual(await one.endsOf([carried, carried]), [
        new Map([["call_0", { output: paid(1) }]]),
        new Map(),
      ]);
  });

  it("is told of the right answer where a later one has an ask of that id for something else", async () => {
    const agent = await open();
    await agent.model(1, () => Promise.resolve(reply({ calls: [ask("call_0")] })));
    await agent.call(ask("call_0"));
    await agent.model(2, () => Promise.resolve(reply({ calls: [ask("call_0", 300)] })), {
      answered: ["call_0"],
    });
    const carried = [{ ...ask("call_0"), told: "error" as const }];
    for (const one of [agent, await open()])
      assert.deepEqual(await one.endsOf([carried]), [new Map([["call_0", { output: paid(1) }]])]);
  });
});
