import type { CallOutcome } from "./dyn-tool.js";
import type { JsonSchema, JsonValue } from "./json.js";
import { NotJson, toPlainJson } from "./plain-json.js";
import { reservedKey } from "./reserved.js";
import { OutputSerialization } from "./tool-errors.js";
import { isToolOutcome, type SuspendOutcome } from "./tool-outcome.js";
import type { ToolJudge, Violation } from "./validator.js";

/**
 * What a handler returned, as data that can be recorded: plain JSON that matches the output schema and has no reserved
 * shape, or a suspension.
 *
 * @returns at once, unless judging it takes a while.
 * @throws {@link OutputSerialization} when it cannot be recorded.
 */
export function judgeOutcome(
  tool: string,
  returned: unknown,
  judgeOutput: ToolJudge | undefined,
  signal?: AbortSignal,
): CallOutcome | Promise<CallOutcome> {
  if (!isToolOutcome(returned)) return judged(tool, returned, judgeOutput, signal);
  if (returned.outcome === "output") return judged(tool, returned.value, judgeOutput, signal);
  return suspension(tool, returned);
}

function judged(
  tool: string,
  value: unknown,
  judgeOutput: ToolJudge | undefined,
  signal: AbortSignal | undefined,
): CallOutcome | Promise<CallOutcome> {
  const output = plain(tool, value);
  const reserved = reservedKey(output);
  if (reserved !== undefined) {
    throw refusal(
      tool,
      "$",
      `an object with only the key ${reserved}, which is reserved for this package's own records`,
    );
  }
  if (judgeOutput === undefined) return { outcome: "output", output };
  const verdict = judgeOutput(output, signal);
  if (Array.isArray(verdict)) return accepted(tool, output, verdict as readonly Violation[]);
  return Promise.resolve(verdict).then((violations) => accepted(tool, output, violations));
}

function accepted(tool: string, output: JsonValue, violations: readonly Violation[]): CallOutcome {
  if (violations.length > 0) throw new OutputSerialization(tool, violations);
  return { outcome: "output", output };
}

function suspension(tool: string, { reason, inputSchema }: SuspendOutcome): CallOutcome {
  if (typeof reason !== "string" || reason === "" || !reason.isWellFormed()) {
    throw refusal(tool, "suspend", "the reason must be a text: what a person has to decide");
  }
  const schema = plain(tool, inputSchema);
  if (
    typeof schema !== "boolean" &&
    (typeof schema !== "object" || schema === null || Array.isArray(schema))
  ) {
    throw refusal(tool, "suspend", "the input schema must be a JSON Schema: an object, true or false");
  }
  return { outcome: "suspend", reason, inputSchema: schema as JsonSchema };
}

function plain(tool: string, value: unknown): JsonValue {
  try {
    return toPlainJson(value);
  } catch (cause) {
    if (!(cause instanceof NotJson)) throw cause;
    throw new OutputSerialization(tool, [{ path: cause.path, message: cause.problem }], { cause });
  }
}

function refusal(tool: string, path: string, message: string): OutputSerialization {
  return new OutputSerialization(tool, [{ path, message }]);
}
