import { randomUUID } from "node:crypto";
import type { Envelope, RunEvent } from "#salvor/log/events.js";
import { openLowdbStore } from "#salvor/store/index.js";

const START = Date.parse("2026-01-01T00:00:00Z");
const MINUTE = 60_000;

/** How many appends are on their way at once. */
const AT_ONCE = 2_000;

/**
 * Fills a data folder with so many runs, a minute apart, oldest first. Most have ended; every thousandth one waits with an open
 * payout, every hundredth one is under way.
 */
export async function manyRuns(dir: string, count: number): Promise<void> {
  const store = await openLowdbStore({ dir });
  for (let first = 0; first < count; first += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, at) => first + at);
    await Promise.all(
      some.map(async (at) => {
        const run = randomUUID();
        await store.append(run, eventsOf(run, at));
      }),
    );
  }
  await store.close();
}

function eventsOf(run: string, at: number): readonly Envelope[] {
  const time = new Date(START + at * MINUTE).toISOString();
  const labels = { team: at % 3 === 0 ? "eu" : "us", order: `A-${at}` };
  const events: RunEvent[] = [
    { kind: "RunStarted", payload: { agent_def_hash: "desk@1", input: null, labels } },
    { kind: "ModelCallRequested", payload: { seq: 1, request_hash: "sha256:0" } },
    {
      kind: "ModelCallCompleted",
      payload: { seq: 1, response: "pay", usage: { input_tokens: 1200 + (at % 700), output_tokens: 80 } },
    },
  ];
  if (at % 1000 === 999) {
    const input = { merchant_id: `M-${at}`, amount_cents: at };
    const key = `sha256:${String(at).padStart(64, "0")}`;
    events.push({
      kind: "ToolCallRequested",
      payload: {
        seq: 3,
        tool: "bank_payout",
        input,
        effect: "write",
        idempotency_key: key,
        performed_by: "client",
      },
    });
  } else if (at % 100 !== 50) {
    events.push(
      at % 17 === 0
        ? { kind: "RunFailed", payload: { error: "the provider declined" } }
        : { kind: "RunCompleted", payload: { output: { order: at } } },
    );
  }
  return events.map((event, seq) => ({ run_id: run, seq, schema_version: 1, recorded_at: time, event }));
}
