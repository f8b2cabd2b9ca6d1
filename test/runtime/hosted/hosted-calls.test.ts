import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { beforeEach, describe, it } from "node:test";
import type { JsonValue } from "#salvor/contract/json.js";
import { HostedCalls, type CallEnd } from "#salvor/runtime/hosted/hosted-calls.js";
import type { HostedOptions } from "#salvor/runtime/hosted/hosted-options.js";
import { Recorder } from "#salvor/runtime/index.js";
import { StoreUnavailable, type EventStore } from "#salvor/store/index.js";
import { hostedTool, hostedTools, Paused } from "../../support/hosted-tools.js";
import { instant, kinds, memoryStore } from "../world.js";

let store: EventStore;
let run: string;
let paused: Paused;

beforeEach(async () => {
  store = await memoryStore();
  paused = new Paused();
  run = randomUUID();
  await new Recorder(store).within(run, undefined, (desk) =>
    desk.append([{ kind: "RunStarted", payload: { agent_def_hash: "sha256:a", input: null } }]),
  );
});

const effects = ["read", "idempotent", "write"] as const;

/** A server on the store, with a queue of its own, as another process has it. */
function serverOn(on: EventStore, options: HostedOptions = {}): HostedCalls {
  const tools = hostedTools(
    ...effects.map((effect) => hostedTool(effect, effect, paused.call)),
    hostedTool("slow", "idempotent", paused.call, { timeoutMs: 1 }),
  );
  return new HostedCalls(new Recorder(on), tools, { executionTtlMs: 600_000, ...options });
}

const named = (effect: string): string => `${effect === "idempotent" ? "an" : "a"} ${effect} call`;

const perform = (server: HostedCalls, tool: string, seq = 1, input: JsonValue = {}): Promise<CallEnd> =>
  server.perform(run, undefined, { seq, tool, input });

function outputOf(end: CallEnd): JsonValue | undefined {
  return end.kind === "settled" && end.result.kind === "output" ? end.result.output : undefined;
}

/** A store of which one method is another. */
function withMethod<K extends keyof EventStore>(
  target: EventStore,
  name: K,
  method: EventStore[K],
): EventStore {
  return new Proxy(target, {
    get(on, member) {
      if (member === name) return method;
      const value: unknown = Reflect.get(on, member);
      return typeof value === "function" ? (value.bind(on) as unknown) : value;
    },
  });
}

describe("two servers on one store", () => {
  for (const effect of effects)
    it(`perform ${named(effect)} once: who comes second waits for the first one's end`, async () => {
      const [one, other] = [serverOn(store), serverOn(store)];
      const first = perform(one, effect);
      await paused.begun();
      const second = perform(other, effect);
      // The other server takes one request of a run after another: once it has answered this one, it has looked at the call.
      await other.perform(run, undefined, { seq: 0, tool: effect, input: {} }).catch(() => undefined);
      assert.equal(paused.calls, 1);
      paused.end("done");
      assert.deepEqual([outputOf(await first), outputOf(await second)], ["done", "done"]);
      assert.equal(paused.calls, 1);
      assert.deepEqual(kinds(await store.readLog(run)), [
        "RunStarted",
        "ToolCallRequested",
        "ToolCallCompleted",
      ]);
      assert.equal(await store.execution(run), undefined);
    });

  for (const effect of effects)
    it(`that find that nobody performs ${named(effect)} any more ${effect === "write" ? "leave it to a person" : "perform it again, under its key"}`, async () => {
      const first = perform(serverOn(store), effect);
      await paused.begun();
      // The first server is stuck: what it held expires, and its call never ends.
      await store.releaseExecution(run, (await store.execution(run))!);
      first.catch(() => undefined);
      const second = perform(serverOn(store), effect);
      if (effect === "write") {
        assert.equal((await second).kind, "open");
        assert.equal(paused.calls, 1);
        // What the first server comes to nevertheless ends the call: nobody has said otherwise.
        paused.end("paid");
        assert.equal(outputOf(await first), "paid");
        return;
      }
      await paused.begun(2);
      assert.equal(paused.ctx(0).idempotencyKey, paused.ctx(1).idempotencyKey);
      paused.end("again", 1);
      assert.equal(outputOf(await second), "again");
      paused.end("late", 0);
      assert.equal(outputOf(await first), "again");
      assert.deepEqual(
        (await store.readRun(run))?.refusedReports.map(({ output }) => output),
        ["late"],
      );
    });

  it("let no run be held up by an execution of a call that has ended", async () => {
    const [one, other] = [serverOn(store), serverOn(store, { executionTtlMs: 30 })];
    await store.holdExecution(run, { seq: 0, holder: "a server that died" }, 50);
    const first = perform(other, "write");
    await paused.begun();
    paused.end("done");
    assert.equal(outputOf(await first), "done");
    const next = perform(one, "write", 3);
    await paused.begun(2);
    paused.end("next");
    assert.equal(outputOf(await next), "next");
  });
});

describe("an execution", () => {
  it("is held before the intent is there, renewed while the tool works, and let go of after the end is recorded", async () => {
    let renewals = 0;
    let renewed = (): void => undefined;
    const often = new Promise<void>((resolve) => (renewed = resolve));
    const seen: string[] = [];
    const watched = withMethod(
      withMethod(store, "append", async (id, events, unit) => {
        const held = (await store.execution(id))?.seq === 1;
        seen.push(`${events[0]?.event.kind} ${held ? "held" : "not held"}`);
        await store.append(id, events, unit);
      }),
      "holdExecution",
      async (id, execution, ttlMs) => {
        renewals += 1;
        if (renewals > 5) renewed();
        return store.holdExecution(id, execution, ttlMs * 1000);
      },
    );
    const call = perform(serverOn(watched, { executionTtlMs: 6 }), "write");
    await paused.begun();
    await often;
    paused.end("done");
    await call;
    assert.deepEqual(seen, ["ToolCallRequested held", "ToolCallCompleted held"]);
    assert.equal(await store.execution(run), undefined);
  });

  it("is let go of when the intent is refused", async () => {
    const failing = withMethod(store, "append", () => Promise.reject(new StoreUnavailable("no")));
    await assert.rejects(perform(serverOn(failing), "write"), StoreUnavailable);
    assert.equal(await store.execution(run), undefined);
    assert.equal(paused.calls, 0);
  });
});

describe("the end of a call", () => {
  it("is recorded when the store can be written again, and the tool is not performed twice for it", async () => {
    let failures = 3;
    const failing = withMethod(store, "append", async (id, events, unit) => {
      if (events[0]?.event.kind === "ToolCallCompleted" && failures > 0) {
        failures -= 1;
        throw new StoreUnavailable("the disk is full");
      }
      await store.append(id, events, unit);
    });
    const { timing, waits } = instant();
    // Nothing else waits in this test than who records: a pause never ends.
    const wait = (ms: number): Promise<void> => (ms > 5_000 ? new Promise(() => undefined) : timing.wait(ms));
    const call = perform(serverOn(failing, { timing: { ...timing, wait } }), "write");
    await paused.begun();
    paused.end("paid");
    assert.equal(outputOf(await call), "paid");
    assert.deepEqual(waits, [100, 200, 400]);
    assert.equal(paused.calls, 1);
  });

  it("that an attempt reports which was given up is the call's, while another attempt is still at work", async () => {
    // The first attempt takes too long at once, and no other ever does, nor does judging its input.
    let timeouts = 0;
    const wait = (ms: number): Promise<void> =>
      ms === 2_000 || (ms === 1 && (timeouts += 1) > 1) ? new Promise(() => undefined) : Promise.resolve();
    const call = perform(serverOn(store, { timing: { wait, random: () => 0 } }), "slow");
    await paused.begun(2);
    assert.equal(paused.ctx(0).signal.aborted, true);
    const recorded = new Promise<void>((resolve) => {
      store.subscribe(run, () => {
        resolve();
      });
    });
    paused.end("first", 0);
    await recorded;
    paused.end("second", 1);
    assert.equal(outputOf(await call), "first");
    assert.deepEqual(
      (await store.readRun(run))?.refusedReports.map(({ output }) => output),
      ["second"],
    );
  });

  it("is told to nobody's log as an input, an output or a key", async () => {
    const troubles: unknown[] = [];
    const server = serverOn(store, { onTrouble: (trouble, call) => troubles.push([trouble, call]) });
    const call = perform(server, "write", 1, { secret: "s3cret" });
    await paused.begun();
    paused.fail(new Error("reset"));
    assert.equal((await call).kind, "open");
    assert.deepEqual(troubles, [
      [
        "a write of a hosted tool has an unknown outcome: a person settles it",
        { run, seq: 1, tool: "write" },
      ],
    ]);
  });
});

it("a server that performs tools is refused numbers that count nothing", () => {
  for (const options of [
    { concurrency: 0 },
    { timeoutMs: 0.5 },
    { timeoutMs: 2 ** 31 },
    { executionTtlMs: NaN },
  ]) {
    assert.throws(() => serverOn(store, options), RangeError);
  }
});

describe("a call that its caller gives up", () => {
  const reason = new Error("enough");

  it("is not recorded while it waits for its turn", async () => {
    const server = serverOn(store, { concurrency: 1 });
    const first = perform(server, "read");
    await paused.begun();
    const other = randomUUID();
    await new Recorder(store).within(other, undefined, (desk) =>
      desk.append([{ kind: "RunStarted", payload: { agent_def_hash: "sha256:a", input: null } }]),
    );
    const giveUp = new AbortController();
    const asked = { seq: 1, tool: "write", input: {}, signal: giveUp.signal };
    const second = assert.rejects(server.perform(other, undefined, asked), reason);
    giveUp.abort(reason);
    paused.end("seen");
    assert.equal(outputOf(await first), "seen");
    await second;
    assert.equal(paused.calls, 1);
    assert.deepEqual(kinds(await store.readLog(other)), ["RunStarted"]);
  });

  it("is known not to have happened when it is a write and its tool was not run yet", async () => {
    const giveUp = new AbortController();
    const append: EventStore["append"] = async (...how) => {
      await store.append(...how);
      giveUp.abort(reason);
    };
    const server = serverOn(withMethod(store, "append", append));
    const asked = { seq: 1, tool: "write", input: {}, signal: giveUp.signal };
    const end = await server.perform(run, undefined, asked);
    assert.equal(paused.calls, 0);
    assert.ok(end.kind === "settled" && end.result.kind === "failure");
    assert.equal(end.result.failure.attempts, 0);
    assert.match(end.result.failure.message, /given up before its tool was run/);
  });

  it("has its tool's signal aborted, and stays open when it is a read", async () => {
    const server = serverOn(store);
    const giveUp = new AbortController();
    const asked = { seq: 1, tool: "read", input: {}, signal: giveUp.signal };
    const given = assert.rejects(server.perform(run, undefined, asked), reason);
    await paused.begun();
    giveUp.abort(reason);
    assert.equal(paused.ctx().signal.reason, reason);
    paused.fail(new Error("aborted"));
    await given;
    const again = perform(server, "read");
    await paused.begun(2);
    paused.end("seen");
    assert.equal(outputOf(await again), "seen");
  });
});
