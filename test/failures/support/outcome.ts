import assert from "node:assert/strict";
import {
  NeedsReconciliationError,
  SuspendedError,
  ToolFailedError,
  type ClientRun,
} from "#salvor/client/index.js";
import type { Case } from "./desk.js";

/** What becomes of a call after a failure, in the words of docs/failures.md. */
export type Outcome =
  "performed" | "performed again" | "answered" | "a person settles it" | "answered when resumed";

const OUTPUT = { refund_id: "re_9", amount_cents: 500 };

/**
 * Asks for the call again and says what came of it. Whatever it says, the call has one answer in the end, and a write was performed
 * once; what was performed twice had the same key both times, where it has one.
 */
export async function outcomeOf(one: Case, run: ClientRun, effect: string): Promise<Outcome> {
  const before = one.world.attempts.length;
  const error = await one.attempt(run);
  const outcome = error === undefined ? grown(before, one) : await waited(one, run, error);
  const { attempts } = one.world;
  if (effect === "write") assert.ok(attempts.length <= 1, `a write was performed ${attempts.length} times`);
  assert.ok(new Set(attempts.map(({ key }) => key)).size <= 1, "under one key");
  const performed = attempts.length;
  const recorded = await endOf(one);
  assert.deepEqual(await endOf(one), recorded);
  assert.equal(attempts.length, performed, "what is recorded is answered");
  return outcome;
}

/** What another process gets that makes the same call. */
async function endOf(one: Case): Promise<unknown> {
  const run = await one.again();
  return run.perform(one.tool, one.input).catch((error: unknown) => {
    assert.ok(error instanceof ToolFailedError, String(error));
    return error.reason;
  });
}

function grown(before: number, { world }: Case): Outcome {
  const after = world.attempts.length;
  if (after > 1) return "performed again";
  return after > before ? "performed" : "answered";
}

async function waited(one: Case, run: ClientRun, error: unknown): Promise<Outcome> {
  const { direct } = one.desk;
  if (error instanceof SuspendedError) {
    await direct.resume(one.runId, { seq: error.suspendedAt, input: OUTPUT });
    assert.deepEqual(await run.perform(one.tool, one.input), OUTPUT);
    return "answered when resumed";
  }
  if (!(error instanceof NeedsReconciliationError)) throw error;
  const { seq = -1 } = error.intent ?? {};
  // As a person who looked it up: the world knows whether it happened.
  const happened = one.world.attempts.length > 0;
  if (happened) {
    await direct.resolve(one.runId, { seq, output: OUTPUT });
    assert.deepEqual(await run.perform(one.tool, one.input), OUTPUT);
  } else {
    await direct.resolve(one.runId, { seq, not_performed: true });
    await assert.rejects(run.perform(one.tool, one.input), ToolFailedError);
  }
  return "a person settles it";
}
