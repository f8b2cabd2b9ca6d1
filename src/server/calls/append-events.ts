import type { JsonObject, JsonValue } from "../../contract/json.js";
import { isSuspensionOutput } from "../../contract/reserved.js";
import { holds, type Envelope, type RunEvent } from "../../log/events.js";
import { jsonEqual } from "../../log/json-equal.js";
import { Divergence } from "../../runtime/divergence.js";
import type { RunDesk } from "../../runtime/recorder.js";
import { settling } from "../../store/append-unit.js";
import type { AppendUnit } from "../../store/event-store.js";
import { openIdentity } from "./identity.js";

/**
 * Appends what a client observed, all of it or nothing. An event that is recorded already is recognised, its `recorded_at`
 * set aside, so that an append whose answer was lost may be sent again.
 *
 * @returns the positions, in the order of the events.
 */
export async function appendEvents(
  desk: RunDesk,
  envelopes: readonly Envelope[],
): Promise<readonly number[]> {
  const known = desk.state.nextSeq;
  for (const envelope of envelopes) {
    if (envelope.seq >= known) continue;
    const [recorded] = await desk.read(envelope.seq, 1);
    if (recorded === undefined || !sameEvent(recorded, envelope)) {
      throw new Divergence(
        `position ${envelope.seq} of run ${desk.run} is recorded with another event: found ${envelope.event.kind}, recorded ${recorded?.event.kind ?? "nothing"}`,
      );
    }
  }
  const fresh = envelopes.filter(({ seq }) => seq >= known);
  await desk.appendPlaced(fresh, await resumption(desk, fresh[0]?.event));
  return envelopes.map(({ seq }) => seq);
}

/**
 * What resuming does to the identity of a call that suspended the run: what the run is resumed with is that call's answer.
 */
export async function resumption(desk: RunDesk, next: RunEvent | undefined): Promise<AppendUnit> {
  const { status, nextSeq } = desk.state;
  if (status.state !== "suspended" || next?.kind !== "Resumed" || nextSeq < 3) return {};
  const [intent, completion] = await desk.read(nextSeq - 3, 2);
  if (!holds(intent, "ToolCallRequested") || !holds(completion, "ToolCallCompleted")) return {};
  if (!isSuspensionOutput(completion.event.payload.output)) return {};
  const { seq, idempotency_key: key } = intent.event.payload;
  const identity = await openIdentity(desk.store, { run: desk.run, seq, key });
  return identity === undefined ? {} : settling(identity);
}

function sameEvent(recorded: Envelope, sent: Envelope): boolean {
  const facts = ({ run_id, seq, schema_version, event }: Envelope): JsonObject => ({
    run_id,
    seq,
    schema_version,
    event: event as unknown as JsonValue,
  });
  return jsonEqual(facts(recorded), facts(sent));
}
