import type { JsonObject } from "../../contract/json.js";
import type { ErrorCode } from "../api-error.js";
import { FROM_SEQ, STREAM } from "../parameters.js";
import {
  COMPLETION,
  EVENTS,
  INTENT,
  MODEL_COMPLETION,
  MODEL_INTENT,
  MODEL_STEP,
  OPEN,
  RESOLVE,
  STEPS,
  TOOL_STEP,
} from "../shapes.js";
import type { Endpoint } from "./endpoint.js";
import { any, object, ref, seq, text, uuid } from "./schema-parts.js";

const RUN = "/v1/client-runs/:id";

/** What an append may be refused with. */
const APPEND = ["divergence", "run_exists"] as const satisfies readonly ErrorCode[];

const LOG = { type: "array", items: ref("Envelope") } as const;
const OPENED = object(["run", "drive_token", "log"], {
  run: uuid,
  drive_token: { type: "string", pattern: "^dt_[0-9a-f]{32}$" },
  log: LOG,
});

/** Bodies and answers that more than one endpoint has. */
export const DRIVING_SCHEMAS: JsonObject = {
  ToolIntent: INTENT.schema,
  ToolCompletion: COMPLETION.schema,
  ModelIntent: MODEL_INTENT.schema,
  ModelCompletion: MODEL_COMPLETION.schema,
  ToolIntentAnswer: object(["seq", "idempotency_key", "effect", "settled"], {
    seq,
    idempotency_key: { type: ["string", "null"] },
    effect: ref("Effect"),
    settled: { type: "boolean" },
    output: any,
  }),
  ModelIntentAnswer: object(["seq", "settled"], {
    seq,
    settled: { type: "boolean" },
    response: any,
    usage: ref("Usage"),
  }),
  CompletionAnswer: object(["seq", "completed"], { seq, completed: { const: true } }),
  AppendAnswer: object(["appended"], { appended: { type: "array", items: seq } }),
  ModelAnswer: object(["response", "usage"], { response: any, usage: ref("Usage") }),
};

const STEP = {
  oneOf: [
    object(["tool_intent"], { tool_intent: ref("ToolIntent") }),
    object(["tool_completion"], { tool_completion: ref("ToolCompletion") }),
    object(["model_intent"], { model_intent: ref("ModelIntent") }),
    object(["model_completion"], { model_completion: ref("ModelCompletion") }),
    object(["event"], { event: ref("AppendedEnvelope") }),
  ],
} as const;

/** A list's own bounds, and what each of its members is. */
function listOf({ properties, ...rest }: JsonObject, name: string, items: JsonObject): JsonObject {
  const { [name]: list } = properties as JsonObject;
  return { ...rest, properties: { [name]: { ...(list as JsonObject), items } } };
}

/** Runs that a client drives in its own process. */
export const DRIVING: readonly Endpoint[] = [
  {
    method: "POST",
    path: "/v1/client-runs",
    name: "openRun",
    summary: "Open a run, or take one over.",
    caller: "client",
    body: { ...OPEN.schema, properties: { ...(OPEN.schema["properties"] as JsonObject), run_id: uuid } },
    success: {
      200: { description: "The run was opened before: its log, and a fresh token.", json: OPENED },
      201: { description: "A new run.", json: OPENED },
    },
    errors: ["run_exists"],
  },
  {
    method: "GET",
    path: `${RUN}/log`,
    name: "readLog",
    summary: "Read the log of a client's run.",
    caller: "client",
    query: [FROM_SEQ],
    success: { 200: { description: "The events.", json: object(["log"], { log: LOG }) } },
  },
  {
    method: "POST",
    path: `${RUN}/events`,
    name: "appendEvents",
    summary: "Append what a client observed, all of it or nothing.",
    caller: "driver",
    body: listOf(EVENTS.schema, "events", ref("AppendedEnvelope")),
    success: { 200: { description: "Their positions.", json: ref("AppendAnswer") } },
    errors: [...APPEND, "operator_required", "unsupported_event_kind", "wrong_state"],
  },
  {
    method: "POST",
    path: `${RUN}/client-tool-intent`,
    name: "openIntent",
    summary: "Record a call before its effect.",
    caller: "driver",
    body: ref("ToolIntent"),
    success: { 200: { description: "It is on disk, or was before.", json: ref("ToolIntentAnswer") } },
    errors: [...APPEND, "unknown_tool"],
  },
  {
    method: "POST",
    path: `${RUN}/client-tool-completion`,
    name: "completeCall",
    summary: "Report what came of a call.",
    caller: "driver",
    body: ref("ToolCompletion"),
    success: { 200: { description: "It is on disk, or was before.", json: ref("CompletionAnswer") } },
    errors: [...APPEND, "unknown_tool", "client_completion_refused"],
  },
  {
    method: "POST",
    path: `${RUN}/client-model-intent`,
    name: "openModelIntent",
    summary: "Record a model call before it is made.",
    caller: "driver",
    body: ref("ModelIntent"),
    success: { 200: { description: "It is on disk, or was before.", json: ref("ModelIntentAnswer") } },
    errors: APPEND,
  },
  {
    method: "POST",
    path: `${RUN}/client-model-completion`,
    name: "completeModelCall",
    summary: "Report what a model answered.",
    caller: "driver",
    body: ref("ModelCompletion"),
    success: { 200: { description: "It is on disk, or was before.", json: ref("CompletionAnswer") } },
    errors: [...APPEND, "client_completion_refused"],
  },
  {
    method: "POST",
    path: `${RUN}/steps`,
    name: "applySteps",
    summary: "Do several steps as one durable append.",
    caller: "driver",
    body: listOf(STEPS.schema, "steps", STEP),
    success: {
      200: {
        description: "One result a step: what its own endpoint answers.",
        json: object(["results"], {
          results: {
            type: "array",
            items: {
              oneOf: [
                ref("ToolIntentAnswer"),
                ref("ModelIntentAnswer"),
                ref("CompletionAnswer"),
                ref("AppendAnswer"),
              ],
            },
          },
        }),
      },
    },
    errors: [
      ...APPEND,
      "unknown_tool",
      "client_completion_refused",
      "operator_required",
      "wrong_state",
      "unsupported_event_kind",
    ],
  },
  {
    method: "POST",
    path: `${RUN}/tool-step`,
    name: "performTool",
    summary: "Have this server perform a tool.",
    caller: "driver",
    body: TOOL_STEP.schema,
    success: {
      200: {
        description: "What came of it, or what it waits for.",
        json: {
          oneOf: [
            object(["output"], { output: any }),
            object(["suspended"], {
              suspended: object(["reason", "input_schema"], { reason: text, input_schema: any }),
            }),
          ],
        },
      },
    },
    errors: [
      ...APPEND,
      "unknown_tool",
      "needs_reconciliation",
      "tool_execution",
      "tool_registry_unavailable",
    ],
  },
  {
    method: "POST",
    path: `${RUN}/model-step`,
    name: "callModel",
    summary: "Have this server call the model.",
    caller: "driver",
    query: [STREAM],
    headers: { Accept: { description: "`text/event-stream` asks for a stream.", schema: text } },
    body: MODEL_STEP.schema,
    success: {
      200: {
        description: "What the model answered, whole or as it says it.",
        json: ref("ModelAnswer"),
        frames: {
          delta: {
            type: "object",
            required: ["type"],
            properties: { type: text },
            additionalProperties: true,
          },
          complete: ref("ModelAnswer"),
          error: object(["message"], { message: text }),
        },
      },
    },
    errors: [...APPEND, "model_execution", "model_executor_unavailable"],
  },
  {
    method: "POST",
    path: `${RUN}/resolve`,
    name: "resolveAsDriver",
    summary: "Settle a call, as its driver.",
    caller: "driver and operator",
    body: RESOLVE.schema,
    success: {
      200: {
        description: "It is settled.",
        json: object(["run", "resolved"], { run: uuid, resolved: { const: true } }),
      },
    },
    errors: [...APPEND, "unknown_tool", "wrong_state"],
  },
];
