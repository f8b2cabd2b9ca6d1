import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { suspend } from "#salvor/index.js";
import {
  DurableRun,
  InputRefused,
  OutcomeUnknown,
  RunSuspended,
  ToolFailed,
  WrongState,
} from "#salvor/runtime/index.js";
import type { EventStore } from "#salvor/store/index.js";
import { kinds, memoryStore, payloadAt, START, tool, toolsOf } from "./world.js";

const SCHEMA = { type: "object", required: ["ok"], properties: { ok: { type: "boolean" } } };

describe("a suspension", () => {
  let store: EventStore;
  before(async () => {
    store = await memoryStore();
  });
  after(() => store.close());

  it("of a call is recorded with the call's end, and what a person answers is the call's result: it is not executed again", async () => {
    let calls = 0;
    const tools = toolsOf(tool("approve", "write", () => ((calls += 1), suspend("may it?", SCHEMA))));
    const run = await DurableRun.start(store, START, tools);
    const suspended = (error: unknown) => {
      assert.ok(error instanceof RunSuspended);
      assert.deepEqual(
        [error.run, error.seq, error.reason, error.inputSchema],
        [run.runId, 3, "may it?", SCHEMA],
      );
      return true;
    };
    await assert.rejects(run.call("approve", {}), suspended);
    assert.deepEqual((await payloadAt(store, run.runId, 2, "ToolCallCompleted")).output, {
      __salvor_suspend: { reason: "may it?", input_schema: SCHEMA },
    });
    await assert.rejects(run.call("approve", {}), suspended);
    // Nobody walks past it.
    await assert.rejects(run.complete(null), suspended);
    const again = await DurableRun.resume(store, run.runId, tools);
    await assert.rejects(again.call("approve", {}), suspended);
    await assert.rejects(again.resumeWith({ ok: "yes" }), (error) => {
      assert.ok(error instanceof InputRefused);
      assert.equal(error.violations[0]?.path, "$.ok");
      return true;
    });
    await again.resumeWith({ ok: true });
    await assert.rejects(again.resumeWith({ ok: true }), WrongState);
    assert.deepEqual(await again.call("approve", {}), { ok: true });
    // Also for the instance that had been told to wait, whether it asks for the call again or goes on.
    await run.complete("done");
    assert.equal(calls, 1);
    assert.deepEqual(kinds(await store.readLog(run.runId)), [
      "RunStarted",
      "ToolCallRequested",
      "ToolCallCompleted",
      "Suspended",
      "Resumed",
      "RunCompleted",
    ]);
  });

  it("of a run waits for its answer, and is answered again when the run is replayed", async () => {
    const run = await DurableRun.start(store, START, toolsOf());
    await assert.rejects(
      run.suspend("go on?", SCHEMA),
      (error) => error instanceof RunSuspended && error.seq === 1,
    );
    await assert.rejects(run.suspend("go on?", SCHEMA), RunSuspended);
    await run.resumeWith({ ok: false });
    assert.deepEqual(await run.suspend("go on?", SCHEMA), { ok: false });
    await run.complete("done");
    const again = await DurableRun.resume(store, run.runId, toolsOf());
    assert.deepEqual(await again.suspend("go on?", SCHEMA), { ok: false });
    assert.equal((await store.readLog(run.runId)).length, 4);
  });

  it("is refused when no answer could be held to its schema, whoever asks for it", async () => {
    const unusable = { type: "nothing" };
    const tools = toolsOf(
      tool("ask", "read", () => suspend("go on?", unusable)),
      tool("pay", "write", () => suspend("go on?", unusable)),
    );
    const run = await DurableRun.start(store, START, tools);
    await assert.rejects(run.suspend("go on?", unusable), InputRefused);
    await assert.rejects(run.resumeWith({ ok: true }), WrongState);
    assert.equal((await store.readLog(run.runId)).length, 1);
    await assert.rejects(
      run.call("ask", {}),
      (error) => error instanceof ToolFailed && error.kind === "output_serialization",
    );
    await assert.rejects(run.call("pay", {}), OutcomeUnknown);
    assert.equal((await store.readLog(run.runId)).length, 4);
  });
});
