import type { SalvorClient } from "salvor/client";
import type { RecordedWrite } from "./check-books.js";

/** Every write in every log of a server. */
export async function recordedWrites(client: SalvorClient): Promise<readonly RecordedWrite[]> {
  const { runs } = await client.runs();
  const writes = await Promise.all(runs.map(({ run }) => writesOf(client, run)));
  return writes.flat();
}

async function writesOf(client: SalvorClient, run: string): Promise<readonly RecordedWrite[]> {
  const log = await client.log(run);
  const ends = new Map(
    log.flatMap(({ event }) =>
      event.kind === "ToolCallCompleted" ? [[event.payload.seq, event.payload] as const] : [],
    ),
  );
  return log.flatMap(({ event }) => {
    if (event.kind !== "ToolCallRequested" || event.payload.effect !== "write") return [];
    const { seq, idempotency_key: key, input } = event.payload;
    const end = ends.get(seq);
    const deduplicated = end?.deduplicated_from !== undefined;
    return [{ run, seq, key, input, deduplicated, ...(end !== undefined && { output: end.output }) }];
  });
}
