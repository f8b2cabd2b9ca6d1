import type { ErrorObject, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import type { Violation } from "../contract/validator.js";
import { pathText, type JsonPath } from "../log/json-path.js";
import { schemaRefused } from "./api-error.js";

const ajv = new Ajv2020({
  ownProperties: true,
  strict: true,
  strictTypes: false,
  strictRequired: false,
  logger: false,
});
// The package is CommonJS: its default export is the namespace's `default` under NodeNext.
(addFormats as unknown as (instance: Ajv2020) => void)(ajv);
ajv.addKeyword({
  keyword: "x-max-bytes",
  type: "string",
  schemaType: "number",
  validate: (limit: number, text: string) => Buffer.byteLength(text, "utf8") <= limit,
  error: { message: ({ schema }) => `must be at most ${String(schema)} bytes of UTF-8` },
});

/** The shape of a request body: a schema of the wire, and a check that narrows what it accepts to `T`. */
export interface Shape<T> {
  readonly schema: JsonObject;
  /**
   * @param what names the body in the refusal.
   * @throws ApiError `bad_request` with `details.violations`.
   */
  check(value: JsonValue, what?: string): T;
}

/** Compiles a shape. Bodies are read for what this version knows: a member that it does not name is ignored. */
export function shape<T>(schema: JsonObject): Shape<T> {
  let validate: ValidateFunction | undefined;
  return {
    schema,
    check(value, what = "the request body") {
      validate ??= ajv.compile(schema);
      if (validate(value)) return value as T;
      throw schemaRefused(
        what,
        (validate.errors ?? []).slice(0, 1).map((error) => violationOf(error, value)),
      );
    },
  };
}

function violationOf(error: ErrorObject, root: JsonValue): Violation {
  const path: (string | number)[] = [];
  let at: JsonValue | undefined = root;
  for (const raw of error.instancePath.split("/").slice(1)) {
    const key = raw.replaceAll("~1", "/").replaceAll("~0", "~");
    path.push(Array.isArray(at) ? Number(key) : key);
    at = isJsonObject(at) || Array.isArray(at) ? (at as JsonObject)[key] : undefined;
  }
  return { path: pathText(path satisfies JsonPath), message: messageOf(error) };
}

function messageOf({ keyword, params, message = "is not acceptable" }: ErrorObject): string {
  if (keyword === "enum")
    return `${message}: ${(params["allowedValues"] as JsonValue[]).map(String).join(", ")}`;
  if (keyword === "const") return `must be ${JSON.stringify(params["allowedValue"])}`;
  return message;
}
