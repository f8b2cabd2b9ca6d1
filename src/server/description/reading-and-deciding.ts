import { AFTER, FOLLOW, FROM_SEQ, GROUP, LABEL, LIMIT, ORDER, STATUS, TOOL } from "../parameters.js";
import { ABANDON, RESOLVE, RESUME } from "../shapes.js";
import type { Endpoint } from "./endpoint.js";
import { flag, object, ref, seq, text, uuid } from "./schema-parts.js";

const RUN = "/v1/runs/:id";

/** Every run of this server: reading, and what a person decides. */
export const READING_AND_DECIDING: readonly Endpoint[] = [
  {
    method: "GET",
    path: "/v1/runs",
    name: "listRuns",
    summary: "List runs, oldest first unless asked otherwise.",
    caller: "client",
    query: [STATUS, GROUP, TOOL, LABEL, ORDER, LIMIT, AFTER],
    success: {
      200: {
        description: "The runs, and where the next page begins if there is one.",
        json: object(["runs"], { runs: { type: "array", items: ref("RunItem") }, next: text }),
      },
    },
  },
  {
    method: "GET",
    path: RUN,
    name: "readRun",
    summary: "Read a run.",
    caller: "client",
    success: { 200: { description: "The run.", json: ref("Run") } },
  },
  {
    method: "GET",
    path: `${RUN}/replay`,
    name: "replayRun",
    summary: "Read what the log of a run means.",
    caller: "client",
    success: {
      200: {
        description: "What the log means, and the position that comes next.",
        json: object(["status", "usage", "next_seq", "pending"], {
          status: ref("Status"),
          usage: ref("Usage"),
          next_seq: seq,
          pending: ref("Pending"),
        }),
      },
    },
  },
  {
    method: "GET",
    path: `${RUN}/events`,
    name: "followRun",
    summary: "Follow the events of a run as server-sent events.",
    caller: "client",
    query: [FROM_SEQ, FOLLOW],
    headers: {
      "Last-Event-ID": {
        description: "The last position that was seen; wins over `from_seq`.",
        schema: { type: "integer", minimum: 0 },
      },
    },
    success: {
      200: {
        description:
          "Each event as it becomes durable, under its position as the id; then what the run rests at.",
        frames: { message: ref("Envelope"), end: ref("StreamEnd") },
      },
    },
  },
  {
    method: "POST",
    path: `${RUN}/resolve`,
    name: "resolve",
    summary: "Settle a call on a person's word.",
    caller: "operator",
    body: RESOLVE.schema,
    success: {
      200: {
        description: "It is settled.",
        json: object(["run", "resolved", "status"], {
          run: uuid,
          resolved: { const: true },
          status: ref("Status"),
        }),
      },
    },
    errors: ["unknown_tool", "wrong_state", "divergence", "run_exists"],
  },
  {
    method: "POST",
    path: `${RUN}/resume`,
    name: "resume",
    summary: "Resume a parked run with an input.",
    caller: "operator",
    body: RESUME.schema,
    success: {
      200: {
        description: "It goes on, or had ended before.",
        json: object(["run", "outcome", "status"], {
          run: uuid,
          outcome: { enum: ["resumed", "completed", "failed", "abandoned"] },
          status: ref("Status"),
        }),
      },
    },
    errors: ["wrong_state", "needs_reconciliation", "divergence", "run_exists"],
  },
  {
    method: "POST",
    path: `${RUN}/abandon`,
    name: "abandon",
    summary: "End a run on a person's word.",
    caller: "operator",
    body: ABANDON.schema,
    success: {
      200: {
        description: "It has ended.",
        json: object(["run", "abandoned", "appended_seq", "status"], {
          run: uuid,
          abandoned: { const: true },
          appended_seq: seq,
          status: ref("Status"),
        }),
      },
    },
    errors: ["wrong_state", "divergence", "run_exists"],
  },
];

/** What this server is, what it serves, and whether it is well. */
export const ABOUT: readonly Endpoint[] = [
  {
    method: "GET",
    path: "/v1/client-tools",
    name: "listClientTools",
    summary: "List what the operator declared.",
    caller: "client",
    success: {
      200: {
        description: "The tools, sorted by name.",
        json: object(["client_tools"], { client_tools: { type: "array", items: ref("Tool") } }),
      },
    },
  },
  {
    method: "GET",
    path: "/v1/hosted-tools",
    name: "listHostedTools",
    summary: "List the tools that this server performs itself.",
    caller: "client",
    success: {
      200: {
        description: "The tools, sorted by name.",
        json: object(["hosted_tools"], { hosted_tools: { type: "array", items: ref("HostedTool") } }),
      },
    },
  },
  {
    method: "GET",
    path: "/v1/capabilities",
    name: "readCapabilities",
    summary: "Read what this server can do.",
    caller: "client",
    success: {
      200: {
        description: "A yes or no for each capability.",
        json: object(["capabilities", "server"], {
          capabilities: { type: "object", additionalProperties: flag },
          server: object(["version"], { version: text }),
        }),
      },
    },
  },
  {
    method: "GET",
    path: "/v1/agents",
    name: "listAgents",
    summary: "List agent definitions: there are none.",
    caller: "client",
    success: {
      200: { description: "None.", json: object(["agents"], { agents: { type: "array", maxItems: 0 } }) },
    },
  },
  {
    method: "GET",
    path: "/v1/openapi.json",
    name: "readDescription",
    summary: "Read this description.",
    caller: "client",
    success: {
      200: { description: "An OpenAPI 3.1 document.", json: { type: "object", additionalProperties: true } },
    },
  },
  {
    method: "GET",
    path: "/metrics",
    name: "readMetrics",
    summary: "Read metrics, for Prometheus.",
    caller: "client",
    success: { 200: { description: "The text exposition format.", text: true } },
  },
  {
    method: "GET",
    path: "/healthz",
    name: "isAlive",
    summary: "Ask whether the process lives.",
    caller: "anyone",
    success: { 200: { description: "It does.", json: object(["status"], { status: { const: "ok" } }) } },
  },
  {
    method: "GET",
    path: "/readyz",
    name: "isReady",
    summary: "Ask whether the store is open and can be written.",
    caller: "anyone",
    success: { 200: { description: "It is.", json: object(["status"], { status: { const: "ready" } }) } },
  },
];
