import { isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import type { Judge } from "../contract/validator.js";
import type { JsonPath } from "../log/json-path.js";

/** Collects what is wrong with one declaration: where, what, and what to write instead. */
export type Report = (path: JsonPath, what: string, advice: string) => void;

/** A schema of a declaration that is a table at least; without a judge when it does not compile, which is reported. */
export interface DeclaredSchema {
  readonly schema: JsonObject;
  readonly judge?: Judge;
}

/** What kind of value something is, in TOML's words. */
export function kind(value: JsonValue): string {
  if (isJsonObject(value)) return "a table";
  if (typeof value === "object" && value !== null) return "an array";
  return typeof value === "string" ? `the text ${JSON.stringify(value.slice(0, 40))}` : String(value);
}
