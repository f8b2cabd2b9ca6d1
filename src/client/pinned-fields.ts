import { isJsonObject, ownValue, type JsonValue } from "../contract/json.js";
import type { Violation } from "../contract/validator.js";
import { jsonEqual } from "../log/json-equal.js";
import { pathText } from "../log/json-path.js";

/** What an output fails to repeat from its input (docs/declarations.md, `require_equal`); none when it repeats every field. */
export function pinViolations(
  fields: readonly string[],
  input: JsonValue,
  output: JsonValue,
): readonly Violation[] {
  return fields.flatMap((field) => {
    const asked = memberOf(input, field);
    const answered = memberOf(output, field);
    if (asked !== undefined && answered !== undefined && jsonEqual(asked, answered)) return [];
    const message = `require_equal: the input has ${words(asked)}, the output has ${words(answered)}`;
    return [{ path: pathText([field]), message }];
  });
}

function memberOf(value: JsonValue, field: string): JsonValue | undefined {
  return isJsonObject(value) ? ownValue(value, field) : undefined;
}

function words(value: JsonValue | undefined): string {
  return value === undefined ? "no such field" : JSON.stringify(value);
}
