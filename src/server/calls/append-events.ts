import type { JsonObject, JsonValue } from "../../contract/json.js";
import type { Envelope } from "../../log/events.js";
import { jsonEqual } from "../../log/json-equal.js";
import { resumption } from "../../runtime/claims.js";
import { Divergence } from "../../runtime/divergence.js";
import type { RunDesk } from "../../runtime/recorder.js";
import type { AppendUnit } from "../../store/event-store.js";
import { endingBySuspended } from "./ending.js";

/**
 * Appends what a client observed, all of it or nothing. An event that is recorded already is recognised, its `recorded_at`
 * set aside, so that an append whose answer was lost may be sent again.
 *
 * @param mayDecide whether the client may decide what a person decides.
 * @returns the positions, in the order of the events.
 */
export async function appendEvents(
  desk: RunDesk,
  envelopes: readonly Envelope[],
  mayDecide: boolean,
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
  await desk.appendPlaced(fresh, await suspensionEnding(desk, fresh[0], mayDecide));
  return envelopes.map(({ seq }) => seq);
}

/** What the next event does to a call that suspended the run: no other event may follow that. */
async function suspensionEnding(
  desk: RunDesk,
  next: Envelope | undefined,
  mayDecide: boolean,
): Promise<AppendUnit> {
  const kind = next?.event.kind;
  if (kind === "Resumed") return resumption(desk, next?.event);
  if (kind === "RunCompleted" || kind === "RunFailed") return endingBySuspended(desk, mayDecide);
  return {};
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
