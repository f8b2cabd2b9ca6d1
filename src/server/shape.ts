import type { ValidateFunction } from "ajv";
import type { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonObject, JsonValue } from "../contract/json.js";
import { loadEngine } from "../schema/load-engine.js";
import { violationOf } from "../schema/violation-of.js";
import { schemaRefused } from "./api-error.js";

let made: Ajv2020 | undefined;

/** Made for the first request: a server that is asked nothing does without. */
function engine(): Ajv2020 {
  if (made !== undefined) return made;
  made = new (loadEngine("2020-12").Ajv2020)({
    ownProperties: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    // For messages that say what was found.
    verbose: true,
    logger: false,
  });
  loadEngine("formats").default(made);
  made.addKeyword({
    keyword: "x-max-bytes",
    type: "string",
    schemaType: "number",
    validate: (limit: number, text: string) => Buffer.byteLength(text, "utf8") <= limit,
    error: { message: ({ schema }) => `expected at most ${String(schema)} bytes of UTF-8` },
  });
  return made;
}

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
      validate ??= engine().compile(schema);
      if (validate(value)) return value as T;
      // The last error is the outermost: what a combination asks for, not what each of its branches lacks.
      const [error] = (validate.errors ?? []).slice(-1);
      throw schemaRefused(what, error === undefined ? [] : [violationOf(value, error)]);
    },
  };
}
