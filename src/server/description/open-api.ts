import type { JsonObject } from "../../contract/json.js";
import { VERSION } from "../../version.js";
import { STATUS_OF, type ErrorCode } from "../api-error.js";
import { DRIVING, DRIVING_SCHEMAS } from "./driving.js";
import { codesOf, type Caller, type Endpoint, type Success } from "./endpoint.js";
import { LOG_SCHEMAS } from "./log-schemas.js";
import { ABOUT, READING_AND_DECIDING } from "./reading-and-deciding.js";
import { any, object, ref, seq, text, uuid } from "./schema-parts.js";

/** Every endpoint of the contract, in the order in which they are described. */
export const ENDPOINTS: readonly Endpoint[] = [...DRIVING, ...READING_AND_DECIDING, ...ABOUT];

const SECURITY: Readonly<Record<Caller, readonly JsonObject[]>> = {
  anyone: [],
  client: [{ client: [] }, { operator: [] }, {}],
  driver: [{ client: [], driver: [] }, { operator: [], driver: [] }, { driver: [] }],
  operator: [{ operator: [] }, { client: [] }, {}],
  "driver and operator": [{ operator: [], driver: [] }, { client: [], driver: [] }, { driver: [] }],
};

/** Headers that an error of a status carries besides the request's id. */
const ERROR_HEADERS: Readonly<Record<number, { readonly name: string; readonly required: boolean }>> = {
  401: { name: "WWW-Authenticate", required: false },
  405: { name: "Allow", required: true },
  503: { name: "Retry-After", required: false },
};

/** An OpenAPI 3.1 description of some endpoints (docs/http-api.md, "The description"). */
export function openApi(endpoints: readonly Endpoint[]): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Salvor",
      version: VERSION,
      description:
        "The control plane. Whoever knows a GET may send it as HEAD. What has no route is answered with NotFound, a wrong method with MethodNotAllowed.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    paths,
    components: {
      schemas: { ...LOG_SCHEMAS, ...DRIVING_SCHEMAS, ErrorDetails: ERROR_DETAILS },
      responses: {
        NotFound: errorAnswer(404, ["not_found"]),
        MethodNotAllowed: errorAnswer(405, ["method_not_allowed"]),
      },
      headers: HEADERS,
      parameters: {
        RequestId: {
          name: "X-Request-Id",
          in: "header",
          description:
            "A name for the request: up to 128 of `A-Z a-z 0-9 . _ : @ / + = -`. Any other is replaced.",
          schema: text,
        },
      },
      securitySchemes: {
        client: { type: "http", scheme: "bearer", description: "The client token, when one is configured." },
        operator: {
          type: "http",
          scheme: "bearer",
          description: "The operator token; without one, every client is trusted as an operator.",
        },
        driver: {
          type: "apiKey",
          in: "header",
          name: "X-Drive-Token",
          description: "The run's current drive token.",
        },
      },
    },
  };
}

function operation(endpoint: Endpoint): JsonObject {
  const { name, summary, caller, path, query = [], headers = {}, body, success } = endpoint;
  const parameters: JsonObject[] = [
    ...(path.includes(":id") ? [{ name: "id", in: "path", required: true, schema: uuid }] : []),
    ...query.map(({ name: parameter, description, schema }) => ({
      name: parameter,
      in: "query",
      description,
      schema,
    })),
    ...Object.entries(headers).map(([header, described]) => ({ name: header, in: "header", ...described })),
    { $ref: "#/components/parameters/RequestId" },
  ];
  return {
    operationId: name,
    summary,
    "x-caller": caller,
    security: SECURITY[caller],
    parameters,
    ...(body !== undefined && {
      requestBody: { required: true, content: { "application/json": { schema: body } } },
    }),
    responses: {
      ...Object.fromEntries(Object.entries(success).map(([status, each]) => [status, successAnswer(each)])),
      ...errorAnswers(codesOf(endpoint)),
    },
  };
}

function successAnswer({ description, json, frames, text: plain }: Success): JsonObject {
  return {
    description,
    headers: ALWAYS,
    content: {
      ...(json !== undefined && { "application/json": { schema: json } }),
      ...(frames !== undefined && { "text/event-stream": { schema: text, "x-frames": frames } }),
      ...(plain === true && { "text/plain": { schema: text } }),
    },
  };
}

function errorAnswers(codes: readonly ErrorCode[]): JsonObject {
  const statuses = [...new Set(codes.map((code) => STATUS_OF[code]))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      errorAnswer(
        status,
        codes.filter((code) => STATUS_OF[code] === status),
      ),
    ]),
  );
}

function errorAnswer(status: number, codes: readonly ErrorCode[]): JsonObject {
  const header = ERROR_HEADERS[status];
  return {
    description: codes.map((code) => `\`${code}\``).join(", "),
    headers: {
      ...ALWAYS,
      ...(header !== undefined && {
        [header.name]: { required: header.required, ...HEADERS[header.name] },
      }),
    },
    content: {
      "application/json": {
        schema: object(["error"], {
          error: object(["code", "message"], {
            code: { enum: codes },
            message: text,
            details: ref("ErrorDetails"),
          }),
        }),
      },
    },
  };
}

/** Headers of every answer. */
const ALWAYS: JsonObject = {
  "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
  "Cache-Control": { $ref: "#/components/headers/Cache-Control" },
};

const HEADERS: Readonly<Record<string, JsonObject>> = {
  "X-Request-Id": {
    description: "What the request was called, or else a name for it, under which this server's log has it.",
    required: true,
    schema: text,
  },
  "Cache-Control": {
    description: "No cache keeps an answer.",
    required: true,
    schema: { const: "no-store" },
  },
  "WWW-Authenticate": { description: "With `unauthorized`.", schema: { const: "Bearer" } },
  Allow: { description: "The methods that there are.", schema: text },
  "Retry-After": {
    description: "After how many seconds to ask again.",
    schema: { type: "integer", minimum: 1 },
  },
};

const ERROR_DETAILS: JsonObject = {
  description: "What there is to say besides the message; each with the errors that docs/http-api.md names.",
  ...object([], {
    violations: {
      type: "array",
      items: object(["path", "message"], { path: text, message: text }),
    },
    holder: object(["run_id", "seq"], { run_id: uuid, seq }),
    intent: ref("OpenIntent"),
    step: { type: "integer", minimum: 0 },
    field: text,
    seq,
    tool: text,
    kind: { enum: ["invalid_input", "handler", "output_serialization"] },
    attempts: { type: "integer", minimum: 0 },
    rule: any,
    position: any,
    found: any,
    expected: any,
  }),
};
