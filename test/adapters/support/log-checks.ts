import assert from "node:assert/strict";
import { canonicalJson } from "#salvor/log/canonical-json.js";
import type { Envelope } from "#salvor/log/events.js";
import { NOT_STARTED, applyEvent } from "#salvor/log/fold.js";
import { judgeAppend } from "#salvor/log/guard.js";

/** Asserts that each event of a log was legal where it stands. */
export function assertLegal(run: string, log: readonly Envelope[]): void {
  let state = NOT_STARTED;
  for (const envelope of log) {
    const refusal = judgeAppend(run, state, envelope);
    assert.equal(refusal, null, refusal?.message);
    state = applyEvent(state, envelope);
  }
}

/** What happened in a run, without what differs from run to run: keys, receipts and who settled a call. */
export function shapeOf(log: readonly Envelope[]): readonly string[] {
  return log.map(({ event }) => {
    if (event.kind === "ToolCallRequested") {
      return `${event.kind} ${event.payload.tool} ${canonicalJson(event.payload.input)}`;
    }
    if (event.kind === "ModelCallRequested") return `${event.kind} ${event.payload.request_hash}`;
    if (event.kind === "ModelCallCompleted") return `${event.kind} ${canonicalJson(event.payload.response)}`;
    return event.kind;
  });
}
