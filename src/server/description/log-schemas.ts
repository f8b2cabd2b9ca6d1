import type { JsonObject } from "../../contract/json.js";
import {
  BUDGET_SCHEMA,
  PAYLOAD_SCHEMAS,
  UNRESOLVED_WRITE_SCHEMA,
  USAGE_SCHEMA,
} from "../../log/event-schemas.js";
import { EVENT_KINDS } from "../../log/events.js";
import { RUN_STATES } from "../../log/fold.js";
import { ENVELOPE, NOT_BY_HAND } from "../event-body.js";
import { any, flag, moment, object, ref, seq, text, uuid } from "./schema-parts.js";

/** States that say more than their name. */
const SAYING_MORE: readonly JsonObject[] = [
  object(["state", "reason", "input_schema"], {
    state: { const: "suspended" },
    reason: text,
    input_schema: { type: ["object", "boolean"] },
  }),
  object(["state", "budget", "observed"], {
    state: { const: "budget_exceeded" },
    budget: BUDGET_SCHEMA,
    observed: { type: "number" },
  }),
  object(["state", "output"], { state: { const: "completed" }, output: any }),
  object(["state", "error"], { state: { const: "failed" }, error: text }),
  object(["state"], {
    state: { const: "abandoned" },
    reason: text,
    unresolved_write: UNRESOLVED_WRITE_SCHEMA,
  }),
];

const NAMED_ONLY = RUN_STATES.filter(
  (state) =>
    !SAYING_MORE.some(({ properties }) => (properties as { state: JsonObject }).state["const"] === state),
);

const PENDING_TOOL = {
  kind: { const: "tool" },
  seq,
  tool: text,
  input: any,
  effect: ref("Effect"),
  idempotency_key: { type: ["string", "null"] },
} as const;

const RECORDED = ["run_id", "seq", "schema_version", "recorded_at", "event"] as const;

/** What a log and its meaning look like on the wire. */
export const LOG_SCHEMAS: JsonObject = {
  Effect: { enum: ["read", "idempotent", "write"] },
  Usage: USAGE_SCHEMA,
  Status: {
    description: "What a run is doing, as its log says.",
    oneOf: [object(["state"], { state: { enum: NAMED_ONLY } }), ...SAYING_MORE],
  },
  Pending: {
    description: "The last intent that has no completion.",
    oneOf: [
      { type: "null" },
      object(["kind", "seq", "request_hash"], { kind: { const: "model" }, seq, request_hash: text }),
      object(Object.keys(PENDING_TOOL), PENDING_TOOL),
    ],
  },
  OpenIntent: {
    description: "The intent of an open write.",
    ...object([...Object.keys(PENDING_TOOL), "recorded_at"], { ...PENDING_TOOL, recorded_at: moment }),
  },
  Event: {
    description:
      "What happened, by kind. A payload may hold keys that a reader does not know, and a stored log kinds that it does not know.",
    oneOf: [
      ...EVENT_KINDS.map((kind) => ref(`${kind}Event`)),
      object(["kind", "payload"], { kind: { type: "string", not: { enum: EVENT_KINDS } }, payload: any }),
    ],
  },
  ...Object.fromEntries(EVENT_KINDS.map((kind) => [`${kind}Event`, event(kind)])),
  Envelope: {
    description: "An event in its place, as it is recorded.",
    ...object(RECORDED, {
      run_id: uuid,
      seq,
      schema_version: { type: "integer" },
      recorded_at: moment,
      event: ref("Event"),
    }),
  },
  AppendedEnvelope: {
    description: "An event that a client appends by hand. What it says of `recorded_at` is ignored.",
    ...ENVELOPE.schema,
    properties: {
      ...(ENVELOPE.schema["properties"] as JsonObject),
      run_id: uuid,
      event: {
        oneOf: EVENT_KINDS.filter((kind) => !NOT_BY_HAND.has(kind)).map((kind) => ref(`${kind}Event`)),
      },
    },
  },
  StreamEnd: {
    description: "The last frame of an event stream: what the run rests at.",
    ...object(["status"], { status: ref("Status"), detached: { const: true } }),
  },
  RefusedReport: {
    description: "A report that was not believed, kept for the person who settles the call.",
    ...object(["seq", "time", "code", "message"], {
      seq,
      time: moment,
      code: text,
      message: text,
      output: any,
      error: any,
      suspend: any,
      omitted: object(["bytes", "hash"], { bytes: { type: "integer" }, hash: text }),
    }),
  },
  RunItem: {
    description: "A run in a list. One whose log cannot be read keeps its id, count and times.",
    oneOf: [
      object(["run", "event_count", "first_recorded_at", "last_recorded_at", "unreadable"], {
        ...counted(),
        unreadable: { const: true },
      }),
      object([...Object.keys(counted()), "status", "usage", "step_count", "agent_def_hash"], {
        ...counted(),
        status: ref("Status"),
        usage: ref("Usage"),
        step_count: { type: "integer", minimum: 0 },
        agent_def_hash: text,
        labels: { type: "object", additionalProperties: text },
        driver: ref("Driver"),
      }),
    ],
  },
  Run: object([...Object.keys(counted()), "status", "usage", "pending"], {
    ...counted(),
    status: ref("Status"),
    usage: ref("Usage"),
    pending: ref("Pending"),
    driver: ref("Driver"),
    refused_reports: { type: "array", minItems: 1, items: ref("RefusedReport") },
  }),
  Driver: { description: "Whether somebody was seen driving the run lately.", enum: ["attached", "none"] },
  Tool: {
    description: "A client tool as the operator declared it.",
    ...object(["name", "effect", "input_schema", "trust_completion"], {
      name: text,
      effect: ref("Effect"),
      input_schema: any,
      trust_completion: flag,
      output_schema: any,
      require_equal: { type: "array", minItems: 1, items: text },
      idempotency_key: { type: "array", minItems: 1, items: text },
      description: text,
      title: text,
    }),
  },
  HostedTool: {
    description: "A tool that this server performs itself.",
    ...object(["name", "description", "effect", "input_schema"], {
      name: text,
      description: text,
      effect: ref("Effect"),
      input_schema: { type: "object" },
      output_schema: { type: "object" },
    }),
  },
};

function event(kind: (typeof EVENT_KINDS)[number]): JsonObject {
  return object(["kind", "payload"], {
    kind: { const: kind },
    payload: { ...PAYLOAD_SCHEMAS[kind], additionalProperties: true },
  });
}

function counted() {
  return {
    run: uuid,
    event_count: { type: "integer", minimum: 1 },
    first_recorded_at: moment,
    last_recorded_at: moment,
  } as const;
}
