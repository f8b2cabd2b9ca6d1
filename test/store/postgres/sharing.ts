import { envelopeOf, type Envelope } from "#salvor/log/events.js";
import { openPostgresStore, type EventStore } from "#salvor/store/index.js";
import type { TestPostgres } from "../../support/postgres.js";

export const OWNERSHIP = { kind: "client", record_prompts: false } as const;

export function event(run: string, seq: number, now = "now"): Envelope {
  const at = new Date(Date.UTC(2026, 0, 1) + seq).toISOString();
  if (seq > 0) return envelopeOf(run, seq, at, { kind: "NowObserved", payload: { now } });
  return envelopeOf(run, 0, at, {
    kind: "RunStarted",
    payload: { agent_def_hash: "sha256:desk", input: null },
  });
}

/** Opens some stores on a new database, and closes them afterwards. */
export async function sharing<T>(
  postgres: TestPostgres,
  count: number,
  use: (stores: EventStore[], url: string) => Promise<T>,
): Promise<T> {
  const url = await postgres.createDatabase();
  const stores = await Promise.all(Array.from({ length: count }, () => openPostgresStore(url)));
  try {
    return await use(stores, url);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
}
