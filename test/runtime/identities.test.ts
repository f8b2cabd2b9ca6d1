import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { HandlerError, MissingIdempotencyKey, suspend } from "#salvor/index.js";
import {
  CallInFlight,
  Divergence,
  DurableRun,
  IdempotencyKeyCollision,
  OutcomeUnknown,
  Recorder,
  RunSuspended,
  ToolFailed,
  type RunTools,
} from "#salvor/runtime/index.js";
import type { EventStore } from "#salvor/store/index.js";
import { gate, instant, memoryStore, payloadAt, START, tool, toolsOf } from "./world.js";

describe("the identity of a call whose tool declares a key", () => {
  let store: EventStore;
  before(async () => {
    store = await memoryStore();
  });
  after(() => store.close());

  const start = (tools: RunTools, where: EventStore | Recorder = store) =>
    DurableRun.start(where, START, tools, { timing: instant().timing });

  for (const effect of ["write", "idempotent"] as const) {
    it(`reaches across runs: a ${effect} that is settled elsewhere is copied, naming where, and not executed`, async () => {
      const keys: unknown[] = [];
      const name = `refund_${effect}`;
      const tools = toolsOf(
        tool(name, effect, ({ idempotencyKey }) => keys.push(idempotencyKey), { key: "order.id" }),
      );
      const input = { order: { id: "o-1" }, cents: 5 };
      const first = await start(tools);
      assert.equal(await first.call(name, input), 1);
      const second = await start(tools);
      assert.equal(await second.call(name, { cents: 5, order: { id: "o-1" } }), 1);
      assert.equal(await second.call(name, input), 1);
      const other = { order: { id: "o-2" }, cents: 5 };
      assert.equal(await second.call(name, other), 2);
      assert.deepEqual(keys, [`${name}:o-1`, `${name}:o-2`]);
      for (const seq of [1, 3]) {
        const { deduplicated_from, output } = await payloadAt(
          store,
          second.runId,
          seq + 1,
          "ToolCallCompleted",
        );
        assert.deepEqual([deduplicated_from, output], [{ run_id: first.runId, seq: 1 }, 1]);
        const { idempotency_key } = await payloadAt(store, second.runId, seq, "ToolCallRequested");
        assert.equal(idempotency_key, `${name}:o-1`);
      }
      const replayed = await DurableRun.resume(store, second.runId, tools);
      assert.deepEqual([await replayed.call(name, input), keys.length], [1, 2]);
    });
  }

  it("is none for a read, which is executed each time", async () => {
    let calls = 0;
    const tools = toolsOf(tool("price", "read", () => (calls += 1), { key: "sku" }));
    const run = await start(tools);
    assert.deepEqual([await run.call("price", { sku: "a" }), await run.call("price", { sku: "a" })], [1, 2]);
    assert.equal(await store.lookupCall("price:a"), undefined);
  });

  it("refuses the same key with another input, and records nothing", async () => {
    let calls = 0;
    const tools = toolsOf(tool("ship", "write", () => (calls += 1), { key: "order" }));
    const first = await start(tools);
    await first.call("ship", { order: "o-3", to: "Ulm" });
    const second = await start(tools);
    await assert.rejects(second.call("ship", { order: "o-3", to: "Bonn" }), (error) => {
      assert.ok(error instanceof IdempotencyKeyCollision);
      assert.deepEqual(error.holder, { run_id: first.runId, seq: 1 });
      assert.match(
        error.message,
        /recorded is \{"order":"o-3","to":"Ulm"\}, asked for was \{"order":"o-3","to":"Bonn"\}/,
      );
      return true;
    });
    assert.equal((await store.readLog(second.runId)).length, 1);
    assert.equal(calls, 1);
  });

  it("refuses a call from whose input no key can be derived, and records nothing", async () => {
    const tools = toolsOf(tool("charge", "write", () => 1, { key: "order" }));
    const run = await start(tools);
    for (const input of [{}, { order: "" }, { order: { valueOf: 1 } }]) {
      await assert.rejects(run.call("charge", input), MissingIdempotencyKey);
    }
    assert.equal((await store.readLog(run.runId)).length, 1);
  });

  it("is open while its outcome is unknown, and everybody gets what a person then says", async () => {
    const tools = toolsOf(
      tool(
        "wire",
        "write",
        () => {
          throw new Error("lost");
        },
        { key: "order" },
      ),
    );
    const first = await start(tools);
    await assert.rejects(first.call("wire", { order: 4 }), OutcomeUnknown);
    const second = await start(tools);
    await assert.rejects(second.call("wire", { order: 4 }), (error) => {
      assert.ok(error instanceof CallInFlight);
      assert.deepEqual(error.holder, { run_id: first.runId, seq: 1 });
      return true;
    });
    assert.equal((await store.readLog(second.runId)).length, 1);
    await first.resolve({ seq: 1, output: "it was wired" });
    assert.equal(await second.call("wire", { order: 4 }), "it was wired");
  });

  it("is released by a definite failure, so that the same call may be tried again under the same key", async () => {
    const keys: unknown[] = [];
    let fails = true;
    const tools = toolsOf(
      tool(
        "book",
        "write",
        ({ idempotencyKey }) => {
          keys.push(idempotencyKey);
          if (fails) throw new HandlerError("full");
          return "booked";
        },
        { key: "seat", inputSchema: { type: "object", properties: { seat: { minimum: 1 } } } },
      ),
    );
    const first = await start(tools);
    await assert.rejects(first.call("book", { seat: 0 }), /\(invalid_input\)/);
    await assert.rejects(first.call("book", { seat: 5 }), ToolFailed);
    for (const seat of [0, 5]) assert.equal(await store.lookupCall(`book:${seat}`), undefined);
    const second = await start(tools);
    await assert.rejects(second.call("book", { seat: 5 }), ToolFailed);
    fails = false;
    assert.equal(await second.call("book", { seat: 5 }), "booked");
    assert.equal(await first.call("book", { seat: 5 }), "booked");
    assert.deepEqual(keys, ["book:5", "book:5", "book:5"]);
  });

  it("stays held by a failure that does not say that nothing happened, which is then copied", async () => {
    let calls = 0;
    const tools = toolsOf(
      tool("odd", "idempotent", () => ((calls += 1), Symbol("x") as never), { key: "id" }),
    );
    const first = await start(tools);
    await assert.rejects(first.call("odd", { id: 1 }), /output_serialization/);
    const second = await start(tools);
    await assert.rejects(second.call("odd", { id: 1 }), /output_serialization/);
    assert.equal(calls, 1);
    const { deduplicated_from } = await payloadAt(store, second.runId, 2, "ToolCallCompleted");
    assert.deepEqual(deduplicated_from, { run_id: first.runId, seq: 1 });
  });

  it("belongs to a suspended call until that is resumed, and its duplicate then gets the resume input", async () => {
    let calls = 0;
    const tools = toolsOf(
      tool("approve", "write", () => ((calls += 1), suspend("may it?", { type: "boolean" })), { key: "id" }),
    );
    const first = await start(tools);
    await assert.rejects(first.call("approve", { id: 1 }), RunSuspended);
    const second = await start(tools);
    await assert.rejects(second.call("approve", { id: 1 }), CallInFlight);
    await first.resumeWith(true);
    assert.equal(await second.call("approve", { id: 1 }), true);
    assert.equal(await first.call("approve", { id: 1 }), true);
    assert.equal(calls, 1);
    const { output, deduplicated_from } = await payloadAt(store, second.runId, 2, "ToolCallCompleted");
    assert.deepEqual([output, deduplicated_from], [true, { run_id: first.runId, seq: 1 }]);
  });

  it("cannot be answered from a run that was erased, and is not executed again", async () => {
    let calls = 0;
    const tools = toolsOf(tool("print", "write", () => (calls += 1), { key: "id" }));
    const first = await start(tools);
    await first.call("print", { id: 1 });
    await first.complete(null);
    await store.erase(first.runId);
    const second = await start(tools);
    await assert.rejects(second.call("print", { id: 1 }), (error) => {
      assert.ok(error instanceof Divergence);
      assert.deepEqual(error.details, { holder: { run_id: first.runId, seq: 1 } });
      return true;
    });
    assert.equal(calls, 1);
  });

  for (const shared of [true, false]) {
    it(`lets one of 16 racing calls execute${shared ? "" : ", also when each run has a recorder of its own"}`, async () => {
      const inside = gate();
      let calls = 0;
      const name = shared ? "race" : "race_apart";
      const tools = toolsOf(
        tool(
          name,
          "write",
          async () => {
            calls += 1;
            await inside.opened;
            return "won";
          },
          { key: "id" },
        ),
      );
      const runs = await Promise.all(
        Array.from({ length: 16 }, () => start(tools, shared ? store : new Recorder(store))),
      );
      let refused = 0;
      const ends = await Promise.allSettled(
        runs.map(async (run) => {
          try {
            return await run.call(name, { id: 1 });
          } catch (error) {
            // The winner's tool may end once everybody else was refused.
            if ((refused += 1) === 15) inside.open();
            throw error;
          }
        }),
      );
      assert.equal(calls, 1);
      for (const [at, end] of ends.entries()) {
        const { length } = await store.readLog(runs[at]!.runId);
        if (end.status === "fulfilled") assert.deepEqual([end.value, length], ["won", 3]);
        else assert.deepEqual([end.reason instanceof CallInFlight, length], [true, 1]);
      }
      assert.equal(ends.filter(({ status }) => status === "fulfilled").length, 1);
      assert.deepEqual(
        await Promise.all(runs.map((run) => run.call(name, { id: 1 }).catch(() => "replayed"))),
        Array(16).fill("won"),
      );
      assert.equal(calls, 1);
    });
  }

  it("is copied by an idempotent call that was left open when another call has settled it", async () => {
    let calls = 0;
    const tools = toolsOf(tool("set", "idempotent", () => (calls += 1), { key: "id" }));
    const first = await start(tools);
    await first.call("set", { id: 1 });
    // An open intent under an identity that another call holds: what a store that was restored in part may have.
    const second = await start(tools);
    await new Recorder(store).within(second.runId, undefined, (desk) =>
      desk.append([
        {
          kind: "ToolCallRequested",
          payload: { seq: 1, tool: "set", input: { id: 1 }, effect: "idempotent", idempotency_key: "set:1" },
        },
      ]),
    );
    assert.equal(await second.call("set", { id: 1 }), 1);
    assert.equal(calls, 1);
    const { deduplicated_from } = await payloadAt(store, second.runId, 2, "ToolCallCompleted");
    assert.deepEqual(deduplicated_from, { run_id: first.runId, seq: 1 });
  });
});
