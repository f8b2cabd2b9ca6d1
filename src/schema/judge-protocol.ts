import type { JsonValue } from "../contract/json.js";
import type { Violation } from "../contract/validator.js";
import type { JsonPath } from "../log/json-path.js";

/** A value to judge elsewhere. The schema travels as text: a text is copied fast, and it is the key of what is compiled. */
export interface JudgeJob {
  readonly schemaText: string;
  readonly trust: Trust;
  readonly allErrors: boolean;
  readonly value: JsonValue;
}

/** Who wrote the schema: an operator, a tool's author, or neither. It decides strictness and limits. */
export type Trust = "operator" | "author" | "untrusted";

/** What the worker says about its job, in this order. */
export type JudgeReply =
  | { readonly kind: "compiled" }
  | { readonly kind: "judged"; readonly violations: readonly Violation[] }
  | { readonly kind: "refused"; readonly path: JsonPath; readonly problem: string };
