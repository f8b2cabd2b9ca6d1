import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { HandlerError, RetryableError } from "#salvor/index.js";
import { attemptKey } from "#salvor/log/keys.js";
import {
  Divergence,
  DurableRun,
  NeedsReconciliation,
  NotJson,
  OutcomeUnknown,
  RunEnded,
  RunExists,
  ToolFailed,
  UnknownRun,
  UnregisteredTool,
} from "#salvor/runtime/index.js";
import { StoreUnavailable, type EventStore } from "#salvor/store/index.js";
import { WRITES } from "../store/disk/faulty-layer.js";
import { MemoryDisk } from "../store/disk/memory-disk.js";
import { Random } from "../store/disk/random.js";
import { sessionOn } from "../store/disk/sessions.js";
import {
  gate,
  instant,
  kinds,
  NOW,
  payloadAt,
  rawTool,
  START,
  stillRecorder,
  tool,
  toolsOf,
} from "./world.js";
import { memoryStore } from "./world.js";

describe("a durable run", () => {
  let store: EventStore;
  before(async () => {
    store = await memoryStore();
  });
  after(() => store.close());

  it("records what it was started with, every intent before its effect, every completion, and its end", async () => {
    let logInside: readonly string[] = [];
    const tools = toolsOf(
      tool("pay", "write", async ({ runId = "", seq, attempt, idempotencyKey }) => {
        logInside = kinds(await store.readLog(runId));
        return { seq: seq ?? -1, attempt, key: idempotencyKey ?? "none" };
      }),
    );
    const runId = randomUUID();
    const run = await DurableRun.start(
      stillRecorder(store),
      { ...START, labels: { team: "desk" }, runId: runId.toUpperCase() },
      tools,
    );
    assert.equal(run.runId, runId);
    assert.deepEqual(run.input, { ticket: 7 });
    const key = attemptKey(runId, 1, "pay");
    const output = { seq: 1, attempt: 1, key };
    assert.deepEqual(await run.call("pay", { cents: 5 }), output);
    assert.equal(await run.now(), NOW);
    await run.complete({ paid: true });
    assert.deepEqual(logInside, ["RunStarted", "ToolCallRequested"]);
    assert.deepEqual(
      (await store.readLog(runId)).map(({ event }) => event),
      [
        {
          kind: "RunStarted",
          payload: { agent_def_hash: "sha256:program", input: { ticket: 7 }, labels: { team: "desk" } },
        },
        {
          kind: "ToolCallRequested",
          payload: { seq: 1, tool: "pay", input: { cents: 5 }, effect: "write", idempotency_key: key },
        },
        { kind: "ToolCallCompleted", payload: { seq: 1, output } },
        { kind: "NowObserved", payload: { now: NOW } },
        { kind: "RunCompleted", payload: { output: { paid: true } } },
      ],
    );
  });

  it("answers what is recorded when it is replayed, and executes nothing", async () => {
    let calls = 0;
    const tools = toolsOf(tool("look_up", "read", () => (calls += 1)));
    const run = await DurableRun.start(store, START, tools, { randomU64: () => 2n ** 64n - 1n });
    const drive = async (each: DurableRun) => [
      await each.call("look_up", { q: 1, r: 2 }),
      await each.now(),
      await each.random(),
    ];
    const first = await drive(run);
    assert.equal(first[2], 18446744073709551615n);
    const again = await DurableRun.resume(store, run.runId, tools, { agentDefHash: START.agentDefHash });
    assert.deepEqual(again.input, START.input);
    assert.deepEqual(await drive(again), first);
    await again.complete(null);
    assert.equal(calls, 1);
    await assert.rejects(again.call("look_up", {}), RunEnded);
    const other = await DurableRun.resume(store, run.runId, tools);
    assert.equal(await other.call("look_up", { r: 2, q: 1 }), 1);
  });

  it("refuses to go on where something else is recorded, and names the position and both", async () => {
    const tools = toolsOf(
      tool("a", "read", () => 1),
      tool("b", "read", () => 1),
    );
    const run = await DurableRun.start(store, START, tools, { randomU64: () => 7n });
    await run.call("a", { x: 1 });
    await run.random();
    await run.suspend("go on?", true).catch(() => undefined);
    const { length } = await store.readLog(run.runId);
    const again = () => DurableRun.resume(store, run.runId, tools);
    const differs = async (position: number, asked: unknown, work: Promise<unknown>) => {
      await assert.rejects(work, (error) => {
        assert.ok(error instanceof Divergence);
        assert.equal(error.details?.position, position);
        assert.deepEqual(error.details.asked, asked);
        assert.match(
          error.message,
          new RegExp(`position ${position} of run ${run.runId}: recorded is .+, asked for was`),
        );
        return true;
      });
    };
    await differs(1, { tool: "b", input: { x: 1 } }, (await again()).call("b", { x: 1 }));
    await differs(1, { tool: "a", input: { x: 2 } }, (await again()).call("a", { x: 2 }));
    await differs(1, { kind: "RunCompleted", payload: { output: 1 } }, (await again()).complete(1));
    const behind = await again();
    await behind.call("a", { x: 1 });
    await differs(3, { tool: "a", input: { x: 1 } }, behind.call("a", { x: 1 }));
    await behind.random();
    await differs(
      5 - 1,
      { kind: "Suspended", payload: { reason: "stop?", input_schema: true } },
      behind.suspend("stop?", true),
    );
    await assert.rejects(
      DurableRun.resume(store, run.runId, tools, { agentDefHash: "sha256:other" }),
      Divergence,
    );
    assert.equal((await store.readLog(run.runId)).length, length);
  });

  it("refuses an id that is taken, one that nobody knows, one that is none, an unknown tool and an input that is not JSON", async () => {
    const run = await DurableRun.start(store, START, toolsOf(tool("a", "read", () => 1)));
    await assert.rejects(DurableRun.start(store, { ...START, runId: run.runId }, toolsOf()), RunExists);
    await assert.rejects(DurableRun.resume(store, randomUUID(), toolsOf()), UnknownRun);
    await assert.rejects(DurableRun.resume(store, "run-7", toolsOf()), /no run id/);
    await assert.rejects(
      run.call("b", {}),
      (error) => error instanceof UnregisteredTool && error.message.includes("(registered: a)"),
    );
    await assert.rejects(run.call("a", { x: Number.NaN }), NotJson);
    assert.equal((await store.readLog(run.runId)).length, 1);
    const clients = randomUUID();
    await store.openRun(clients, "sha256:lease", { kind: "client", record_prompts: false });
    await assert.rejects(DurableRun.start(store, { ...START, runId: clients }, toolsOf()), RunExists);
    await assert.rejects(DurableRun.resume(store, clients, toolsOf()), /driven by a client/);
  });

  it("makes its calls one after another, in call order", async () => {
    const first = gate();
    const begun: number[] = [];
    const tools = toolsOf(
      tool("step", "read", async (_ctx, { n }) => {
        begun.push(Number(n));
        if (n === 0) await first.opened;
        return n ?? null;
      }),
    );
    const run = await DurableRun.start(store, START, tools);
    const calls = [0, 1, 2].map((n) => run.call("step", { n }));
    const end = run.complete("done");
    first.open();
    assert.deepEqual(await Promise.all(calls), [0, 1, 2]);
    await end;
    assert.deepEqual(begun, [0, 1, 2]);
  });

  for (const effect of ["read", "idempotent"] as const) {
    it(`tries a ${effect} call three times under one key, counts the attempts and names every cause`, async () => {
      const keys: unknown[] = [];
      const clock = instant();
      const tools = toolsOf(
        tool("flaky", effect, ({ attempt, idempotencyKey }) => {
          keys.push([attempt, idempotencyKey]);
          throw new Error("no answer", { cause: new Error("socket hang up", { cause: "ECONNRESET" }) });
        }),
      );
      const run = await DurableRun.start(store, START, tools, { timing: clock.timing });
      const reason = "no answer; caused by: socket hang up; caused by: ECONNRESET";
      const failed = (error: unknown) => {
        assert.ok(error instanceof ToolFailed);
        assert.deepEqual([error.kind, error.reason, error.attempts], ["handler", reason, 3]);
        return true;
      };
      await assert.rejects(run.call("flaky", {}), failed);
      const key = attemptKey(run.runId, 1, "flaky");
      assert.deepEqual(
        keys,
        [1, 2, 3].map((attempt) => [attempt, key]),
      );
      assert.deepEqual(clock.waits, [200, 400]);
      assert.deepEqual((await payloadAt(store, run.runId, 2, "ToolCallCompleted")).output, {
        __salvor_error: { is_error: true, kind: "handler", message: reason, attempts: 3 },
      });
      const again = await DurableRun.resume(store, run.runId, tools);
      await assert.rejects(again.call("flaky", {}), failed);
      assert.equal(keys.length, 3);
    });
  }

  it("spreads its waits, honours a hint within bounds, and records an answer that a later attempt gave", async () => {
    const hints = [5_000, 10 ** 9];
    const clock = instant(0.5);
    const tools = toolsOf(
      tool("busy", "read", ({ attempt }) => {
        const hint = hints[attempt - 1];
        if (hint !== undefined) throw new RetryableError("busy", hint);
        return attempt;
      }),
      tool("slow", "read", ({ attempt }) => {
        if (attempt < 3) throw new Error("again");
        return attempt;
      }),
    );
    const run = await DurableRun.start(store, START, tools, { timing: clock.timing });
    assert.equal(await run.call("busy", {}), 3);
    assert.equal(await run.call("slow", {}), 3);
    assert.deepEqual(clock.waits, [5_000, 30_000, 100, 200]);
  });

  it("never tries a write again, also when it is asked to", async () => {
    let calls = 0;
    const clock = instant();
    const tools = toolsOf(
      tool("pay", "write", () => {
        calls += 1;
        throw new RetryableError("declined", 1);
      }),
    );
    const run = await DurableRun.start(store, START, tools, { timing: clock.timing });
    await assert.rejects(run.call("pay", {}), (error) => error instanceof ToolFailed && error.attempts === 1);
    assert.equal(calls, 1);
    assert.deepEqual(clock.waits, []);
  });

  it("never retries a refused input or an output that cannot be recorded", async () => {
    let calls = 0;
    const strict = { type: "object", required: ["x"] };
    const tools = toolsOf(
      tool("strict", "read", () => (calls += 1), { inputSchema: strict }),
      tool("odd", "read", () => ((calls += 1), 2n as never)),
      rawTool("forged", "idempotent", () => {
        calls += 1;
        return Promise.resolve({ outcome: "output", output: { __salvor_suspend: { reason: "x" } } });
      }),
    );
    const run = await DurableRun.start(store, START, tools, { timing: instant().timing });
    const failed = async (name: string, kind: string) => {
      await assert.rejects(run.call(name, {}), (error) => {
        assert.ok(error instanceof ToolFailed);
        assert.deepEqual([error.kind, error.attempts], [kind, 1]);
        return true;
      });
    };
    await failed("strict", "invalid_input");
    assert.equal(calls, 0);
    await failed("odd", "output_serialization");
    await failed("forged", "output_serialization");
    assert.equal(calls, 2);
  });

  const unknown: Readonly<Record<string, () => unknown>> = {
    "throws anything but a HandlerError": () => {
      throw new Error("socket hang up");
    },
    "answers what is not JSON": () => ({ at: new Date(0) }),
    "answers a reserved shape": () => ({ __salvor_error: {} }),
    "answers what is not its schema": () => "paid",
  };
  for (const [what, answer] of Object.entries(unknown)) {
    it(`leaves the intent open when a write ${what}, and lets a person settle it`, async () => {
      let calls = 0;
      const tools = toolsOf(
        tool("pay", "write", () => ((calls += 1), answer() as never), { outputSchema: { type: "object" } }),
      );
      const run = await DurableRun.start(store, START, tools);
      await assert.rejects(run.call("pay", { cents: 5 }), (error) => {
        assert.ok(error instanceof OutcomeUnknown);
        assert.equal(error.idempotencyKey, attemptKey(run.runId, 1, "pay"));
        assert.ok(error.cause instanceof Error);
        return true;
      });
      assert.deepEqual(kinds(await store.readLog(run.runId)), ["RunStarted", "ToolCallRequested"]);
      await assert.rejects(run.call("pay", { cents: 5 }), NeedsReconciliation);
      await assert.rejects(run.fail("gave up"), NeedsReconciliation);
      const again = await DurableRun.resume(store, run.runId, tools);
      await assert.rejects(again.call("pay", { cents: 5 }), (error) => {
        assert.ok(error instanceof NeedsReconciliation);
        assert.deepEqual([error.tool, error.seq, error.input], ["pay", 1, { cents: 5 }]);
        return true;
      });
      await assert.rejects(again.resolve({ seq: 2, output: {} }), /does not wait/);
      await assert.rejects(again.resolve({ seq: 1, output: 5 }), /output of pay/);
      await assert.rejects(again.resolve({ seq: 1, output: { __salvor_error: 1 } }), /reserved key/);
      await again.resolve({ seq: 1, output: { id: "p1" }, operator: "Ann", note: "seen at the bank" });
      assert.deepEqual(await again.call("pay", { cents: 5 }), { id: "p1" });
      await assert.rejects(again.resolve({ seq: 1, output: {} }), /does not wait/);
      const { resolved_by } = await payloadAt(store, run.runId, 2, "ToolCallCompleted");
      assert.deepEqual(resolved_by, { operator: "Ann", note: "seen at the bank" });
      // The instance that had asked for it goes on behind it, too.
      await run.fail(new Error("gave up", { cause: new Error("tired") }));
      const { error } = await payloadAt(store, run.runId, 3, "RunFailed");
      assert.equal(error, "gave up; caused by: tired");
      assert.equal(calls, 1);
    });
  }

  it("records a write that its author says did not happen, and one that a person says so of, as failed", async () => {
    const tools = toolsOf(
      tool("pay", "write", (_ctx, { fails }) => {
        throw fails === true
          ? new HandlerError("declined", { cause: new Error("limit") })
          : new Error("lost");
      }),
    );
    const run = await DurableRun.start(store, START, tools);
    await assert.rejects(run.call("pay", { fails: true }), /declined; caused by: limit/);
    await assert.rejects(run.call("pay", { fails: false }), OutcomeUnknown);
    await run.resolve({ seq: 3, notPerformed: true });
    await assert.rejects(run.call("pay", { fails: false }), (error) => {
      assert.ok(error instanceof ToolFailed);
      assert.deepEqual([error.seq, error.kind, error.attempts], [3, "handler", 0]);
      return true;
    });
  });

  it("gives up a call that takes too long: a read is tried again, a write is an unknown outcome", async () => {
    const signals: AbortSignal[] = [];
    const never = ({ signal }: { readonly signal: AbortSignal }) => {
      signals.push(signal);
      return new Promise<never>(() => undefined);
    };
    const clock = instant();
    const tools = toolsOf(
      tool("look_up", "read", never, { timeoutMs: 50 }),
      tool("pay", "write", never, { timeoutMs: 70 }),
    );
    const run = await DurableRun.start(store, START, tools, { timing: clock.timing });
    await assert.rejects(run.call("look_up", {}), (error) => {
      assert.ok(error instanceof ToolFailed);
      assert.deepEqual([error.attempts, error.reason], [3, "look_up took longer than 50 ms"]);
      return true;
    });
    assert.deepEqual(clock.waits, [50, 1_000, 200, 50, 1_000, 400, 50, 1_000]);
    await assert.rejects(
      run.call("pay", {}),
      (error) => error instanceof OutcomeUnknown && error.message.includes("it took longer than 70 ms"),
    );
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, true, true, true],
    );
  });

  it("hands a write to its tool later when its caller gave up before it began", async () => {
    let calls = 0;
    const giving = new AbortController();
    const tools = toolsOf(tool("pay", "write", () => (calls += 1)));
    const run = await DurableRun.start(store, START, tools);
    const stop = store.subscribe(run.runId, () => {
      giving.abort(new Error("the caller left"));
    });
    await assert.rejects(run.call("pay", {}, { signal: giving.signal }), /the caller left/);
    stop();
    assert.equal(calls, 0);
    assert.equal(await run.call("pay", {}), 1);
    assert.equal((await store.readLog(run.runId)).length, 3);
  });

  it("executes a read again whose caller gave up", async () => {
    const giving = new AbortController();
    const tools = toolsOf(
      tool("look_up", "read", ({ signal }) => {
        giving.abort(new Error("the caller left"));
        signal.throwIfAborted();
        return 1;
      }),
    );
    const run = await DurableRun.start(store, START, tools);
    await assert.rejects(run.call("look_up", {}, { signal: giving.signal }), /the caller left/);
    assert.equal(await run.call("look_up", {}), 1);
    assert.equal((await store.readLog(run.runId)).length, 3);
  });

  it("does not execute a call whose effect was another one when it was opened", async () => {
    const crashed = new Error("crash");
    const giving = new AbortController();
    const read = tool("look_up", "read", () => {
      giving.abort(crashed);
      throw crashed;
    });
    const run = await DurableRun.start(store, START, toolsOf(read));
    await assert.rejects(run.call("look_up", {}, { signal: giving.signal }), crashed);
    const again = await DurableRun.resume(store, run.runId, toolsOf(tool("look_up", "write", () => 1)));
    await assert.rejects(again.call("look_up", {}), Divergence);
  });

  it("says so when a person has settled a write differently while its tool was working", async () => {
    const inside = gate();
    const settled = gate();
    const tools = toolsOf(
      tool("pay", "write", async () => {
        inside.open();
        await settled.opened;
        return { id: "paid" };
      }),
    );
    const run = await DurableRun.start(store, START, tools);
    const call = run.call("pay", {});
    await inside.opened;
    const other = await DurableRun.resume(store, run.runId, tools);
    await assert.rejects(other.call("pay", {}), NeedsReconciliation);
    await other.resolve({ seq: 1, notPerformed: true });
    settled.open();
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof Divergence);
      assert.deepEqual(error.details, { position: 2, asked: { id: "paid" } });
      return true;
    });
  });

  it("leaves a write open whose answer the store could not record, and hands the answer to whoever asked", async () => {
    let broken = false;
    const layer = sessionOn(new MemoryDisk(), new Random(1), (operation) =>
      broken && WRITES.has(operation.kind) ? { fails: "EIO" } : "works",
    );
    const failing = await layer.open();
    const tools = toolsOf(
      tool("pay", "write", () => ((broken = true), { id: "p1" })),
      tool("look_up", "read", () => ((broken = true), 1)),
    );
    const run = await DurableRun.start(failing, START, tools);
    await assert.rejects(run.call("pay", {}), (error) => {
      assert.ok(error instanceof OutcomeUnknown);
      assert.deepEqual(error.output, { id: "p1" });
      assert.ok(error.cause instanceof StoreUnavailable);
      return true;
    });
    assert.deepEqual(kinds(await failing.readLog(run.runId)), ["RunStarted", "ToolCallRequested"]);
    await assert.rejects(run.call("pay", {}), NeedsReconciliation);
    broken = false;
    await failing.close();
  });
});
