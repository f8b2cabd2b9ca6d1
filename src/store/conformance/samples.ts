import { randomUUID } from "node:crypto";
import type { JsonObject } from "../../contract/json.js";
import { envelopeOf, type Envelope, type Payloads, type RunEvent } from "../../log/events.js";
import type { EventStore, RunOwnership } from "../event-store.js";

const HOSTILE = JSON.parse(
  '{"constructor":1,"toString":"x","valueOf":null,"hasOwnProperty":[]}',
) as JsonObject;

/** A payload of every kind, with the values that are easily lost on the way. */
const PAYLOADS: Payloads = {
  RunStarted: {
    agent_def_hash: "sha256:agent",
    input: { text: 'żółw \u{1F422} "quoted"\n' },
    labels: { team: "desk" },
  },
  ModelCallRequested: { seq: 1, request_hash: "sha256:request", request_body: [1.5, -0.25, 1e21, 5e-324] },
  ModelCallCompleted: { seq: 1, response: null, usage: { input_tokens: 3, output_tokens: 4 } },
  ToolCallRequested: {
    seq: 3,
    tool: "charge_card",
    input: HOSTILE,
    effect: "write",
    idempotency_key: null,
    performed_by: "client",
  },
  ToolCallCompleted: {
    seq: 3,
    output: { deep: [[[[{}]]]], empty: "" },
    resolved_by: { operator: "desk", note: "" },
  },
  NowObserved: { now: "2026-01-01T00:00:00Z" },
  RandomObserved: { value: 2n ** 64n - 1n },
  Suspended: { reason: "ask", input_schema: true },
  Resumed: { input: false },
  BudgetExceeded: { budget: { kind: "cost_usd", limit: 0.1 }, observed: 0.30000000000000004 },
  SleepStarted: { until: "2026-01-02T00:00:00Z" },
  SleepCompleted: {},
  RunCompleted: { output: { value: 9007199254740991 } },
  RunFailed: { error: "\u0000\u2028" },
  RunAbandoned: { reason: "gone", unresolved_write: { seq: 3, tool: "charge_card" } },
};

/** Every kind once, as one log. */
export function everyKind(run: string): readonly Envelope[] {
  return Object.entries(PAYLOADS as unknown as Readonly<Record<string, unknown>>).map(
    ([kind, payload], seq) => envelopeOf(run, seq, timeAt(seq), { kind, payload } as unknown as RunEvent),
  );
}

/** A new run id. */
export function newRun(): string {
  return randomUUID();
}

export function timeAt(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
}

export function started(run: string, at = 0, labels?: Readonly<Record<string, string>>): Envelope {
  const payload = { agent_def_hash: "sha256:agent", input: null, ...(labels !== undefined && { labels }) };
  return envelopeOf(run, 0, timeAt(at), { kind: "RunStarted", payload });
}

export function observed(run: string, seq: number, now = "now"): Envelope {
  return envelopeOf(run, seq, timeAt(seq), { kind: "NowObserved", payload: { now } });
}

export function intent(run: string, seq: number, by?: "client"): Envelope {
  return envelopeOf(run, seq, timeAt(seq), {
    kind: "ToolCallRequested",
    payload: {
      seq,
      tool: "charge_card",
      input: { cents: 5 },
      effect: "write",
      idempotency_key: "sha256:key",
      ...(by !== undefined && { performed_by: by }),
    },
  });
}

export function completion(run: string, seq: number, of: number): Envelope {
  return envelopeOf(run, seq, timeAt(seq), {
    kind: "ToolCallCompleted",
    payload: { seq: of, output: "paid" },
  });
}

export function completed(run: string, seq: number, output: string): Envelope {
  return envelopeOf(run, seq, timeAt(seq), { kind: "RunCompleted", payload: { output } });
}

export const OWNERSHIP: RunOwnership = { kind: "client", record_prompts: true, agent: { name: "desk" } };

/** What became of many calls at once. */
export async function race(
  count: number,
  call: (index: number) => Promise<unknown>,
): Promise<{ readonly won: readonly number[]; readonly errors: readonly unknown[] }> {
  const outcomes = await Promise.allSettled(Array.from({ length: count }, (_, index) => call(index)));
  return {
    won: outcomes.flatMap(({ status }, index) => (status === "fulfilled" ? [index] : [])),
    errors: outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : [])),
  };
}

/** The code of an error that a call is refused with, or `undefined` when it is not. */
export async function refusal(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
    return undefined;
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : error;
  }
}

/** A run with some events. */
export async function runOf(store: EventStore, count: number): Promise<string> {
  const run = newRun();
  await store.append(run, [started(run)]);
  for (let seq = 1; seq < count; seq += 1) await store.append(run, [observed(run, seq)]);
  return run;
}
