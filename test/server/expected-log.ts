import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { toolOf } from "./model-tools.js";
import type { Call, Json, RunModel } from "./run-model.js";

/** The key of a call, from the words of the contract: a hash of a small object with sorted keys. */
function keyOf(run: string, seq: number, { tool, input }: Call): string {
  const { key: field, performs } = toolOf(tool) ?? {};
  // The server's tools declare their keys in their own words.
  if (performs !== undefined && field !== undefined) return `${tool}:${input[field] as string}`;
  const identity: Record<string, Json> = { run, tool, ...(field === undefined ? { seq } : {}) };
  if (field !== undefined) identity[field] = input[field] ?? null;
  const text = JSON.stringify(identity, Object.keys(identity).sort());
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

/** The events that a run is expected to have. */
export function expectedLog(run: string, { log }: RunModel): readonly unknown[] {
  return log.map(({ kind, call, content }, seq) => {
    if (kind === "ToolCallCompleted") return { kind, payload: { seq: seq - 1, output: content } };
    if (kind === "ModelCallRequested")
      return { kind, payload: { seq, ...(content as object), performed_by: "client" } };
    if (kind === "ModelCallCompleted") return { kind, payload: { seq: seq - 1, ...(content as object) } };
    if (call === undefined) return { kind, payload: content };
    const { effect, performs } = toolOf(call.tool) ?? {};
    const idempotency_key = keyOf(run, seq, call);
    const by = performs === undefined ? { performed_by: "client" } : {};
    return { kind, payload: { seq, ...call, effect, idempotency_key, ...by } };
  });
}

/** A log, of which is set aside who decided and what was copied: that is looked at elsewhere. */
export function shownLog(
  log: readonly { readonly seq: number; readonly event: { kind: string; payload: Record<string, Json> } }[],
): readonly unknown[] {
  assert.deepEqual(
    log.map(({ seq }) => seq),
    log.map((_, at) => at),
  );
  return log.map(({ event: { kind, payload } }) => {
    const { seq, output } = payload;
    return { kind, payload: kind === "ToolCallCompleted" ? { seq, output } : payload };
  });
}
