import { deepFreeze } from "./deep-freeze.js";
import { isJsonObject, type JsonObject } from "./json.js";
import { once } from "./once.js";
import { toPlainJson } from "./plain-json.js";
import type { Judge, Validator } from "./validator.js";

/** A schema of a tool, as it was when the tool was registered. */
export interface DefinedSchema {
  /** The schema, deeply frozen: the same object each time. */
  readonly read: () => JsonObject;

  /**
   * Compiles it. To be asked for before anything else can change the object that it was made of.
   *
   * @throws what {@link Validator.compile} throws.
   */
  readonly compile: (validator: Validator) => Judge;
}

/**
 * A copy of a schema that an author wrote.
 *
 * @returns `undefined` when it is no JSON object.
 * @throws `NotJson` naming the first place.
 */
export function copiedSchema(json: unknown): DefinedSchema | undefined {
  const plain = toPlainJson(json);
  if (!isJsonObject(plain)) return undefined;
  const schema = deepFreeze(plain);
  return { read: () => schema, compile: (validator) => validator.compile(schema) };
}

/**
 * The same of a schema that was read from a file of JSON, of which a text loses nothing: it is only read again when somebody asks
 * for it, because most programs call few of the tools that they register.
 *
 * @throws TypeError when it is no JSON after all, such as a cycle.
 */
export function rereadSchema(json: unknown): DefinedSchema | undefined {
  const text = JSON.stringify(json) as string | undefined;
  if (text?.startsWith("{") !== true) return undefined;
  const read = once(() => deepFreeze(JSON.parse(text) as JsonObject));
  const compile = (validator: Validator) => {
    if (validator.compile.keepsNoSchema !== true) return validator.compile(read());
    try {
      return validator.compile(json as JsonObject, text);
    } catch {
      // What counts is what the text says, and so do the words of a refusal.
      return validator.compile(read());
    }
  };
  return { read, compile };
}
