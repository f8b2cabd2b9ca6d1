import { isJsonObject, ownValue, type JsonValue } from "../../contract/json.js";
import { reservedKey } from "../../contract/reserved.js";
import type { Violation } from "../../contract/validator.js";
import type { DeclaredTool } from "../../declarations/declared-tool.js";
import { jsonEqual } from "../../log/json-equal.js";

/** A rule that an output broke, in the order in which the rules are judged. */
export type BrokenRule =
  | { readonly rule: "reserved"; readonly message: string }
  | { readonly rule: "output_schema"; readonly message: string; readonly violations: readonly Violation[] }
  | { readonly rule: "require_equal"; readonly message: string; readonly field: string };

/** The first rule of a declaration that an output breaks, or `undefined` when it may be recorded. */
export async function judgeOutput(
  tool: DeclaredTool,
  input: JsonValue,
  output: JsonValue,
): Promise<BrokenRule | undefined> {
  const { name, require_equal: pinned } = tool.declaration;
  const reserved = judgeReserved(output);
  if (reserved !== undefined) return reserved;
  const violations = (await tool.judgeOutput?.(output)) ?? [];
  if (violations.length > 0) {
    return {
      rule: "output_schema",
      message: `the output does not match the output_schema of ${name}`,
      violations,
    };
  }
  for (const field of pinned) {
    const asked = memberOf(input, field);
    const reported = memberOf(output, field);
    if (asked !== undefined && reported !== undefined && jsonEqual(asked, reported)) continue;
    return {
      rule: "require_equal",
      field,
      message: `require_equal: the field "${field}" of ${name} is ${brief(reported)} in the output and ${brief(asked)} in the input`,
    };
  }
  return undefined;
}

/** Whether an output has a shape that only a failure or a suspension may have. */
export function judgeReserved(output: JsonValue): BrokenRule | undefined {
  const key = reservedKey(output);
  return key === undefined
    ? undefined
    : {
        rule: "reserved",
        message: `an output that is an object with the one key ${key} is reserved; report it as "error" or "suspend"`,
      };
}

function memberOf(value: JsonValue, field: string): JsonValue | undefined {
  return isJsonObject(value) ? ownValue(value, field) : undefined;
}

function brief(value: JsonValue | undefined): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value);
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`;
}
