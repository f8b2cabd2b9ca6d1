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
  const full = typeof name === "string" ? [...path, name] : path;
  return { path: pathText(full.map(shortened)), message: expectation(error) };
}

/** A key of a value may have millions of characters, and stand in a hundred paths. */
function shortened(step: string | number): string | number {
  return typeof step === "number" || step.length <= MAX_KEY ? step : `${step.slice(0, MAX_KEY)}…`;
}

const MAX_KEY = 200;
