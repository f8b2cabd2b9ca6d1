import { hash } from "node:crypto";

/** An event of a run as most are: the start, then intents with a key and completions in turn. */
export function event(run, seq) {
  return {
    run_id: run,
    seq,
    schema_version: 1,
    recorded_at: new Date().toISOString(),
    event: contentOf(run, seq),
  };
}

/** The key that an intent of {@link event} holds. */
export function keyOf(run, seq) {
  return `sha256:${hash("sha256", `${run} ${seq}`, "hex")}`;
}

function contentOf(run, seq) {
  if (seq === 0) return { kind: "RunStarted", payload: { agent_def_hash: "sha256:bench", input: null } };
  if (seq % 2 === 0) {
    const output = {
      receipt: `re_${seq}`,
      amount_cents: 4200,
      note: "a line of text as long as most answers are",
    };
    return { kind: "ToolCallCompleted", payload: { seq: seq - 1, output } };
  }
  const input = { order: `order-${seq}`, amount_cents: 4200, note: "a line of text as long as most" };
  const call = { seq, tool: "charge_card", input, effect: "write" };
  return {
    kind: "ToolCallRequested",
    payload: { ...call, idempotency_key: keyOf(run, seq), performed_by: "client" },
  };
}
