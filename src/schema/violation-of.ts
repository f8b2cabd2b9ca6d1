import type { ErrorObject } from "ajv";
import type { JsonValue } from "../contract/json.js";
import type { Violation } from "../contract/validator.js";
import { pathText } from "../log/json-path.js";
import { expectation } from "./expectation.js";
import { pathOf } from "./pointer.js";

/** Parameters that name a member which is itself the violation, so that the path leads to it. */
const CULPRITS: Readonly<Record<string, string>> = {
  additionalProperties: "additionalProperty",
  unevaluatedProperties: "unevaluatedProperty",
};

/** A compiler's error as a violation of a value. */
export function violationOf(value: JsonValue, error: ErrorObject): Violation {
  const culprit = Object.hasOwn(CULPRITS, error.keyword) ? CULPRITS[error.keyword] : undefined;
  const name = culprit === undefined ? undefined : (error.params as Record<string, unknown>)[culprit];
  const path = pathOf(value, error.instancePath);
  return {
    path: pathText(typeof name === "string" ? [...path, name] : path),
    message: expectation(error),
  };
}
