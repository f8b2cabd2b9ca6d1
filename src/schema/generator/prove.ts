import { Ajv } from "ajv";
import formatsPlugin from "ajv-formats";
import { createValidator } from "../validator.js";
import type { JsonObject, JsonValue } from "../../contract/json.js";

/**
 * Compiles a schema under the strictest rules of ajv, and checks it as it will be checked when the tool is registered.
 * Answers what is wrong with it, or nothing.
 */
export function proveSchema(schema: JsonObject): string | undefined {
  try {
    strictAjv().compile(schema);
    createValidator().compile(schema);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What is wrong with a value under a schema that compiles, or nothing. */
export function judgeValue(schema: JsonObject, value: JsonValue): string | undefined {
  const ajv = strictAjv();
  return ajv.validate(schema, value) ? undefined : ajv.errorsText(undefined, { dataVar: "it" });
}

let shared: Ajv | undefined;

function strictAjv(): Ajv {
  if (shared !== undefined) return shared;
  // Open tuples are what they are on purpose; everything else that strict mode knows is a mistake in a schema.
  const ajv = new Ajv({
    strict: true,
    strictTuples: false,
    ownProperties: true,
    logger: false,
    // The code runs a few times at most: making it small takes longer than running it as it is.
    inlineRefs: false,
    code: { optimize: false },
  });
  formatsPlugin.default(ajv);
  shared = ajv;
  return ajv;
}
