import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { WALL_CLOCK } from "#salvor/runtime/timing.js";

void describe("the wall clock's wait", () => {
  it("rejects with the signal's own reason, before it and while it waits", async () => {
    const reason = new RangeError("the server stops");
    await assert.rejects(WALL_CLOCK.wait(60_000, AbortSignal.abort(reason)), reason);
    const stop = new AbortController();
    const waiting = WALL_CLOCK.wait(60_000, stop.signal);
    stop.abort(reason);
    await assert.rejects(waiting, reason);
  });

  it("resolves when the time is over", async () => {
    await assert.doesNotReject(WALL_CLOCK.wait(1));
  });
});
