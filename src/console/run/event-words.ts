import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../../contract/json.js";
import { isFailureOutput, isSuspensionOutput } from "../../contract/reserved.js";
import { holds, type Envelope } from "../../log/events.js";

/** An event as a line of a story. */
export interface Told {
  readonly title: string;
  /** What it is about: a tool, a reason. Somebody else's words. */
  readonly about?: string;
  /** What a person wrote who decided it. */
  readonly note?: string;
  readonly who: string;
  readonly effect?: string;
  readonly key?: string;
  /** What it holds, to be folded open, by name. */
  readonly parts: readonly (readonly [name: string, value: JsonValue])[];
  readonly tone: "plain" | "call" | "done" | "bad" | "wait" | "end";
}

export function tell(envelope: Envelope): Told {
  const { event } = envelope;
  const payload: JsonObject = isJsonObject(event.payload) ? event.payload : {};
  if (holds(envelope, "RunStarted")) {
    const { input, agent_def_hash: about } = envelope.event.payload;
    return { title: "Run started", about, who: "client", parts: [["input", input]], tone: "plain" };
  }
  if (holds(envelope, "ToolCallRequested")) {
    const { tool, input, effect, idempotency_key: key } = envelope.event.payload;
    const parts = [["input", input]] as const;
    const shared = {
      title: "Call",
      about: tool,
      who: performer(payload),
      effect,
      parts,
      tone: "call" as const,
    };
    return typeof key === "string" ? { ...shared, key } : shared;
  }
  if (holds(envelope, "ToolCallCompleted")) return completion(envelope.event.payload);
  if (holds(envelope, "ModelCallRequested")) {
    const { request_body: body, request_hash: hash } = envelope.event.payload;
    const parts = body === undefined ? [] : ([["request", body]] as const);
    return { title: "Model asked", about: hash, who: performer(payload), parts, tone: "call" };
  }
  if (holds(envelope, "ModelCallCompleted")) {
    const { response, usage } = envelope.event.payload;
    const about = isJsonObject(usage) ? `${usage.input_tokens} in, ${usage.output_tokens} out` : "";
    return { title: "Model answered", about, who: "model", parts: [["response", response]], tone: "done" };
  }
  if (holds(envelope, "Suspended")) {
    const { reason, input_schema: schema } = envelope.event.payload;
    return {
      title: "Suspended",
      about: reason,
      who: "client",
      parts: [["input schema", schema]],
      tone: "wait",
    };
  }
  if (holds(envelope, "Resumed"))
    return {
      title: "Resumed",
      who: "person",
      parts: [["answer", envelope.event.payload.input]],
      tone: "done",
    };
  if (holds(envelope, "RunCompleted"))
    return {
      title: "Run completed",
      who: "client",
      parts: [["output", envelope.event.payload.output]],
      tone: "end",
    };
  if (holds(envelope, "RunFailed"))
    return {
      title: "Run failed",
      about: envelope.event.payload.error,
      who: "client",
      parts: [],
      tone: "bad",
    };
  if (holds(envelope, "RunAbandoned")) return abandonment(payload);
  // What has no more to say than its payload, and kinds that this version does not know.
  const tone = event.kind === "BudgetExceeded" ? "wait" : "plain";
  return { title: titleOf(event.kind), about: brief(payload), who: "client", parts: [], tone };
}

const TITLES: Readonly<Record<string, string>> = {
  NowObserved: "Time observed",
  RandomObserved: "Random number observed",
  BudgetExceeded: "Over budget",
  SleepStarted: "Sleeps",
  SleepCompleted: "Slept",
};

function titleOf(kind: string): string {
  return Object.hasOwn(TITLES, kind) ? (TITLES[kind] ?? kind) : kind;
}

function performer(payload: JsonObject): string {
  return ownValue(payload, "performed_by") === "client" ? "client" : "server";
}

function completion(payload: {
  readonly output: JsonValue;
  readonly deduplicated_from?: { readonly run_id: string; readonly seq: number };
  readonly resolved_by?: { readonly operator?: string; readonly note?: string; readonly override?: boolean };
}): Told {
  const { output, deduplicated_from: holder, resolved_by: by } = payload;
  const parts = [["output", output]] as const;
  const note = by?.note;
  if (by !== undefined) {
    const isNot = isFailureOutput(output);
    const title = isNot
      ? "Settled: it did not happen"
      : by.override === true
        ? "Settled, rules set aside"
        : "Settled: it happened";
    const shared = { title, who: by.operator ?? "person", parts, tone: isNot ? "bad" : "done" } as const;
    return note === undefined ? shared : { ...shared, note };
  }
  if (holder !== undefined) {
    const about = `from ${holder.run_id} at ${holder.seq}`;
    return { title: "Answered from an earlier call", about, who: "server", parts, tone: "done" };
  }
  if (isFailureOutput(output)) {
    const { message, kind, attempts } = output.__salvor_error;
    const title = attempts === 0 ? "Settled: it did not happen" : `Failed (${kind})`;
    return { title, about: message, who: attempts === 0 ? "person" : "", parts, tone: "bad" };
  }
  if (isSuspensionOutput(output))
    return {
      title: "Waits for an answer",
      about: output.__salvor_suspend.reason,
      who: "",
      parts,
      tone: "wait",
    };
  return { title: "Completed", who: "", parts, tone: "done" };
}

function abandonment(payload: JsonObject): Told {
  const reason = ownValue(payload, "reason");
  const write = ownValue(payload, "unresolved_write");
  const parts = write === undefined ? [] : ([["unresolved write", write]] as const);
  const shared = { title: "Run abandoned", who: "person", parts, tone: "bad" } as const;
  return typeof reason === "string" ? { ...shared, note: reason } : shared;
}

function brief(payload: JsonObject): string {
  return Object.entries(payload)
    .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`)
    .join(", ");
}
