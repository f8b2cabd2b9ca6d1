import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { isJsonObject, type JsonObject, type JsonValue } from "#salvor/contract/json.js";
import { ENDPOINTS, openApi } from "#salvor/server/description/open-api.js";

/** A real answer, as far as the description speaks of it. */
export interface Described {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  /** Its body; none for HEAD. */
  readonly text?: string;
}

/**
 * The description, closed: a member that it does not name is an error here, though not for a client, who must be ready for
 * what a later server says.
 */
const description = closed(openApi(ENDPOINTS)) as unknown as {
  readonly paths: Record<string, Record<string, Operation>>;
};

interface Operation {
  readonly responses: Record<string, AnswerDescription>;
}
interface AnswerDescription {
  readonly headers: Record<string, { readonly required?: boolean }>;
  readonly content: Record<string, { readonly schema: JsonObject; readonly "x-frames"?: JsonObject }>;
}

const ajv = new Ajv2020({ strict: false, allErrors: false, discriminator: false });
(addFormats as unknown as (instance: Ajv2020) => void)(ajv);
ajv.addSchema(description, "api");
const validators = new Map<string, ValidateFunction>();

/** Holds an answer to the description: its status, its headers, its media type and every field. */
export function assertDescribed(answer: Described): void {
  const { method, path, status, headers, text } = answer;
  const what = `${method} ${path} answered ${status} ${text?.slice(0, 400) ?? ""}`;
  // A preflight is the browser's business, and has no body.
  if (method === "OPTIONS" && status === 204) return;
  const where = placeOf(method, path, status);
  const described = at(where) as AnswerDescription | undefined;
  assert.ok(described, `${what}: no such answer is described`);
  assert.ok(headers.has("x-request-id"), `${what}: without a request id`);
  assert.equal(headers.get("cache-control"), "no-store", `${what}: a cache may keep it`);
  for (const [name, { required }] of Object.entries(described.headers)) {
    if (required === true) assert.ok(headers.has(name), `${what}: without ${name}`);
  }
  if (text === undefined) return;
  const type = (headers.get("content-type") ?? "").split(";", 1)[0] ?? "";
  const media = described.content[type];
  assert.ok(media, `${what}: ${type} is not described`);
  if (type === "application/json") check([...where, "content", type, "schema"], JSON.parse(text), what);
  if (type !== "application/json" || status < 400) return;
  const { code } = (JSON.parse(text) as { error: { code: string } }).error;
  assert.equal(headers.has("www-authenticate"), code === "unauthorized", what);
  if (code === "store_unavailable" || code === "shutting_down") assert.ok(headers.has("retry-after"), what);
}

/** Holds a frame of an event stream to the description. */
export function assertFrameDescribed(
  { method, path }: Pick<Described, "method" | "path">,
  event: string | undefined,
  data: unknown,
): void {
  const where = [
    ...placeOf(method, path, 200),
    "content",
    "text/event-stream",
    "x-frames",
    event ?? "message",
  ];
  assert.ok(at(where), `no frame ${event ?? "message"} of ${path} is described`);
  check(where, data, `a frame of ${path}: ${JSON.stringify(data)}`);
}

function check(where: readonly string[], value: unknown, what: string): void {
  const pointer = where
    .map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")))
    .join("/");
  const validate = validators.get(pointer) ?? ajv.compile({ $ref: `api#/${pointer}` });
  validators.set(pointer, validate);
  assert.ok(validate(value), `${what}\nis not as described: ${ajv.errorsText(validate.errors)}`);
}

/** Where the description speaks of an answer. */
function placeOf(method: string, path: string, status: number): readonly string[] {
  const [bare = ""] = path.split("?", 1);
  const template = Object.keys(description.paths).find((known) =>
    new RegExp(`^${known.replace(/[.]/g, "\\.").replace("{id}", "[^/]+")}$`).test(bare),
  );
  const operation = (method === "HEAD" ? "GET" : method).toLowerCase();
  const known = template !== undefined && Object.hasOwn(description.paths[template] ?? {}, operation);
  if (known && status !== 404) return ["paths", template, operation, "responses", String(status)];
  if (known && Object.hasOwn(description.paths[template]?.[operation]?.responses ?? {}, "404"))
    return ["paths", template, operation, "responses", "404"];
  if (status === 405) return ["components", "responses", "MethodNotAllowed"];
  if (status === 404) return ["components", "responses", "NotFound"];
  // What is judged before the route is the same everywhere.
  return ["paths", "/v1/capabilities", "get", "responses", String(status)];
}

function at(where: readonly string[]): unknown {
  let found: unknown = description;
  for (const part of where) found = (found as Record<string, unknown> | undefined)?.[part];
  return found;
}

function closed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((each: JsonValue) => closed(each));
  if (!isJsonObject(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, closed(each)]));
  const isOpenObject =
    value.type === "object" && isJsonObject(value.properties) && value.additionalProperties === undefined;
  return isOpenObject ? { ...inner, additionalProperties: false } : inner;
}
