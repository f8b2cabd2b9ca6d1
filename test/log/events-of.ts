import type { Envelope, EventKind, Payloads, RunEvent } from "#salvor/log/events.js";

export const RUN = "00000000-0000-4000-8000-000000000001";

/** An event of a kind, in its place. */
export function at<K extends EventKind>(seq: number, kind: K, payload: Payloads[K]): Envelope {
  return {
    run_id: RUN,
    seq,
    schema_version: 1,
    recorded_at: "2026-01-02T03:04:05Z",
    event: { kind, payload } as RunEvent,
  };
}
