import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HandlerError, suspend } from "#salvor/index.js";
import type { JsonObject, JsonValue } from "#salvor/contract/json.js";
import type { Effect } from "#salvor/contract/effect.js";
import { holds, type Envelope } from "#salvor/log/events.js";
import {
  DurableRun,
  NeedsReconciliation,
  RunSuspended,
  ToolFailed,
  type RunTools,
} from "#salvor/runtime/index.js";
import type { AppendUnit, EventStore } from "#salvor/store/index.js";
import { instant, memoryStore, START, stillRecorder, tool, toolsOf } from "./world.js";

const RUN = "c0ffee00-0000-4000-8000-000000000000";
const ROUNDS = 11;

/** What was appended, as it was appended. */
interface Appended {
  readonly events: readonly Envelope[];
  readonly unit: AppendUnit;
}

/** A store that notes what passes. */
function noting(store: EventStore, appended: Appended[]): EventStore {
  return new Proxy(store, {
    get(target, name) {
      if (name === "append") {
        return (run: string, events: readonly Envelope[], unit: AppendUnit = {}) => {
          appended.push({ events, unit });
          return target.append(run, events, unit);
        };
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

/** A program with every kind of thing that a run can do, and the positions whose calls it executed. */
class Program {
  readonly executed: number[] = [];
  #lot = 0n;
  readonly tools: RunTools;
  readonly options = { timing: instant().timing, randomU64: () => this.#lot };

  constructor() {
    const note = (name: string, effect: Effect, key?: string, fails = false) =>
      tool(
        name,
        effect,
        ({ attempt, seq = -1 }, input) => {
          if (attempt === 1) this.executed.push(seq);
          if (fails) throw new HandlerError(`${name} does not work`);
          return { did: name, with: input };
        },
        key === undefined ? {} : { key },
      );
    this.tools = toolsOf(
      note("look_up", "read"),
      note("set_price", "idempotent", "sku"),
      note("pay", "write", "order"),
      note("break", "idempotent", "sku", true),
      tool("raise_limit", "write", ({ seq = -1 }) => {
        this.executed.push(seq);
        return suspend("raise it?", { type: "object", required: ["limit"] });
      }),
    );
  }

  async drive(run: DurableRun): Promise<void> {
    for (let n = 0; n < ROUNDS; n += 1) {
      await run.call("look_up", { n });
      await run.call("set_price", { sku: `sku-${n}`, cents: n });
      await run.call("pay", { order: n, at: await run.now() });
      this.#lot = 2n ** 63n + BigInt(n);
      await run.random();
    }
    const pay: JsonObject = { order: "twice" };
    const first = await run.call("pay", pay);
    assert.deepEqual(await run.call("pay", pay), first);
    await assert.rejects(run.call("break", { sku: "x" }), ToolFailed);
    await answered(run, () => run.call("raise_limit", {}), { limit: 5 });
    assert.equal(await answered(run, () => run.suspend("really?", { type: "boolean" }), true), true);
    await run.complete({ rounds: ROUNDS });
  }
}

/** Asks, and when a person has to answer, answers and asks again. */
async function answered(
  run: DurableRun,
  ask: () => Promise<JsonValue>,
  answer: JsonValue,
): Promise<JsonValue> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof RunSuspended)) throw error;
    await run.resumeWith(answer);
    return ask();
  }
}

/** A new store that holds the first events of a run, and the claims that belong to them. */
async function cutAt(length: number, appended: readonly Appended[]): Promise<EventStore> {
  const store = await memoryStore();
  for (const { events, unit } of appended) {
    const kept = events.filter(({ seq }) => seq < length);
    if (kept.length === 0) break;
    const claims = unit.identities?.filter(({ change }) => change === "claim") ?? [];
    await store.append(RUN, kept, kept.length === events.length ? unit : { identities: claims });
  }
  return store;
}

describe("a run of about 100 events whose log is cut", () => {
  it("comes to the same log from every cut, executes only what has no end, and refuses exactly behind a write's intent", async () => {
    const appended: Appended[] = [];
    const whole = await memoryStore();
    const program = new Program();
    await program.drive(
      await DurableRun.start(
        stillRecorder(noting(whole, appended)),
        { ...START, runId: RUN },
        program.tools,
        program.options,
      ),
    );
    const log = await whole.readLog(RUN);
    await whole.close();
    assert.ok(log.length >= 100, `${log.length} events`);

    const calls = log.flatMap((envelope) => (holds(envelope, "ToolCallRequested") ? [envelope] : []));
    const isCopy = (seq: number) => {
      const completion = log[seq + 1];
      assert.ok(holds(completion, "ToolCallCompleted"));
      return completion.event.payload.deduplicated_from !== undefined;
    };
    assert.deepEqual(
      program.executed,
      calls.map(({ seq }) => seq).filter((seq) => !isCopy(seq)),
    );

    const refused: number[] = [];
    for (let length = 1; length <= log.length; length += 1) {
      const store = await cutAt(length, appended);
      const again = new Program();
      const run = await DurableRun.resume(stillRecorder(store), RUN, again.tools, again.options);
      try {
        await again.drive(run);
      } catch (error) {
        if (!(error instanceof NeedsReconciliation)) throw error;
        assert.equal(error.seq, length - 1);
        assert.deepEqual(again.executed, []);
        assert.deepEqual(await store.readLog(RUN), log.slice(0, length));
        refused.push(length);
        await store.close();
        continue;
      }
      assert.deepEqual(await store.readLog(RUN), log, `cut at ${length}`);
      // A call has ended when its completion is in the log: a read or idempotent one whose intent is the last event has not.
      const open = calls.map(({ seq }) => seq).filter((seq) => seq + 1 >= length && !isCopy(seq));
      assert.deepEqual(again.executed, open, `cut at ${length}`);
      await store.close();
    }
    const writes = calls.filter(({ event }) => event.payload.effect === "write");
    assert.deepEqual(
      refused,
      writes.map(({ seq }) => seq + 1),
    );
    assert.ok(refused.length > ROUNDS);
  });
});
