import type { JsonValue } from "../../contract/json.js";
import { JsonSyntaxError } from "../../log/json-syntax-error.js";
import { parseJson } from "../../log/parse-json.js";

/** JSON as a person types it; what a double would round is a problem, as it is for the server. */
export function readJson(text: string): { readonly value: JsonValue | undefined; readonly problem: string } {
  if (text.trim() === "") return { value: undefined, problem: "" };
  try {
    return { value: parseJson(text), problem: "" };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { value: undefined, problem: error.message };
    throw error;
  }
}
