import type { JsonObject } from "../contract/json.js";
import type { EventKind } from "./events.js";

const seq = { type: "integer", minimum: 0 } as const;
const unsigned = { type: "integer", minimum: 0 } as const;
const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const moment = { type: "string", format: "date-time" } as const;
const performedBy = { const: "client" } as const;
const any = {} as const;

/** A schema: an object, or true or false. */
const schema = { type: ["object", "boolean"] } as const;

function object(required: readonly string[], properties: JsonObject): JsonObject {
  return { type: "object", required, properties };
}

/** How many tokens a model took. */
export const USAGE_SCHEMA = object(["input_tokens", "output_tokens"], {
  input_tokens: unsigned,
  output_tokens: unsigned,
});

/** Which budget a run went over. */
export const BUDGET_SCHEMA = object(["kind", "limit"], {
  kind: { enum: ["tokens", "cost_usd", "wall_time", "steps"] },
  limit: { type: "number" },
});

/** The write that nobody settled before its run was abandoned. */
export const UNRESOLVED_WRITE_SCHEMA = object(["seq", "tool"], { seq, tool: text });

/**
 * The shape of each kind's payload, as JSON Schema. An unknown key of a payload is kept, so none is forbidden.
 * `x-max-bytes` counts UTF-8 bytes, of the text or of each key. `RandomObserved.value` is judged by hand: JSON Schema has
 * no unsigned 64-bit integer that survives a double.
 */
export const PAYLOAD_SCHEMAS: Readonly<Record<EventKind, JsonObject>> = {
  RunStarted: object(["agent_def_hash", "input"], {
    agent_def_hash: text,
    input: any,
    labels: {
      type: "object",
      maxProperties: 16,
      propertyNames: { "x-max-bytes": 64 },
      additionalProperties: { type: "string", "x-max-bytes": 256 },
    },
  }),
  ModelCallRequested: object(["seq", "request_hash"], {
    seq,
    request_hash: text,
    request_body: any,
    performed_by: performedBy,
  }),
  ModelCallCompleted: object(["seq", "response", "usage"], { seq, response: any, usage: USAGE_SCHEMA }),
  ToolCallRequested: object(["seq", "tool", "input", "effect", "idempotency_key"], {
    seq,
    tool: text,
    input: any,
    effect: { enum: ["read", "idempotent", "write"] },
    idempotency_key: { type: ["string", "null"] },
    performed_by: performedBy,
  }),
  ToolCallCompleted: object(["seq", "output"], {
    seq,
    output: any,
    deduplicated_from: object(["run_id", "seq"], { run_id: { type: "string", format: "uuid" }, seq }),
    resolved_by: object([], { operator: text, note: text, override: flag, not_performed: flag }),
  }),
  NowObserved: object(["now"], { now: moment }),
  RandomObserved: object(["value"], { value: { type: "integer", minimum: 0 } }),
  Suspended: object(["reason", "input_schema"], { reason: text, input_schema: schema }),
  Resumed: object(["input"], { input: any }),
  BudgetExceeded: object(["budget", "observed"], { budget: BUDGET_SCHEMA, observed: { type: "number" } }),
  SleepStarted: object(["until"], { until: moment }),
  SleepCompleted: object([], {}),
  RunCompleted: object(["output"], { output: any }),
  RunFailed: object(["error"], { error: text }),
  RunAbandoned: object([], { reason: text, unresolved_write: UNRESOLVED_WRITE_SCHEMA }),
};
