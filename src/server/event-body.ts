import type { JsonObject } from "../contract/json.js";
import { PAYLOAD_SCHEMAS } from "../log/event-schemas.js";
import { EVENT_KINDS, isEventKind, type Envelope, type EventKind, type RunEvent } from "../log/events.js";
import type { JsonPath } from "../log/json-path.js";
import { isRandomValue } from "../log/revive-envelope.js";
import { parseRunId } from "../log/run-id.js";
import { ApiError, schemaRefused } from "./api-error.js";
import { shape, type Shape } from "./shape.js";

/** Kinds that have an endpoint of their own, where the server decides what is recorded. */
export const NOT_BY_HAND: ReadonlySet<EventKind> = new Set([
  "ModelCallRequested",
  "ModelCallCompleted",
  "ToolCallRequested",
  "ToolCallCompleted",
  "RunAbandoned",
]);

/** An envelope before its event is looked at. */
export const ENVELOPE = shape<JsonObject>({
  type: "object",
  required: ["run_id", "seq", "schema_version", "event"],
  properties: {
    seq: { type: "integer", minimum: 0 },
    schema_version: { type: "integer" },
    event: {
      type: "object",
      required: ["kind", "payload"],
      properties: { kind: { type: "string" }, payload: { type: "object" } },
    },
  },
});

const PAYLOADS = Object.fromEntries(
  EVENT_KINDS.map((kind) => [kind, shape(PAYLOAD_SCHEMAS[kind])]),
) as Readonly<Record<EventKind, Shape<JsonObject>>>;

/** Where a body of events may hold an unsigned 64-bit integer. */
export function isRandomValueInBody(path: JsonPath): boolean {
  return path[0] === "events" && isRandomValue(path.slice(2));
}

/**
 * Reads one envelope of a client. What it says of `recorded_at` is ignored: the server stamps.
 *
 * @param where names the envelope in a refusal.
 * @param stamp what to put into `recorded_at`.
 * @throws ApiError `bad_request`, or `unsupported_event_kind` for a kind that no client appends by hand.
 */
export function readEnvelope(value: JsonObject, where: string, stamp: string): Envelope {
  const { run_id, seq, schema_version, event } = ENVELOPE.check(value, where);
  const run = parseRunId(run_id);
  if (run === undefined) {
    throw schemaRefused(where, [{ path: "$.run_id", message: "must be a hyphenated UUID" }]);
  }
  const { kind, payload } = event as { kind: string; payload: JsonObject };
  return {
    run_id: run,
    seq: seq as number,
    schema_version: schema_version as number,
    recorded_at: stamp,
    event: readEvent(kind, payload, where),
  };
}

function readEvent(kind: string, payload: JsonObject, where: string): RunEvent {
  if (!isEventKind(kind) || NOT_BY_HAND.has(kind)) {
    throw new ApiError(
      "unsupported_event_kind",
      `${where}: ${JSON.stringify(kind)} is not appended by hand; calls go through client-tool-intent and client-tool-completion, and a run is abandoned at /v1/runs/{id}/abandon`,
    );
  }
  const { value } = payload as { readonly value?: unknown };
  if (kind === "RandomObserved") return { kind, payload: { ...payload, value: randomValue(value, where) } };
  if (typeof value === "bigint") {
    throw schemaRefused(where, [{ path: "$.event.payload.value", message: "is an integer beyond 2^53-1" }]);
  }
  return {
    kind,
    payload: PAYLOADS[kind].check(payload, `${where}, payload of ${kind}`),
  } as unknown as RunEvent;
}

function randomValue(value: unknown, where: string): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  throw schemaRefused(where, [
    { path: "$.event.payload.value", message: "must be an unsigned 64-bit integer" },
  ]);
}
