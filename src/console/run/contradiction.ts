import type { RefusedReportAnswer } from "../../client/answers.js";
import type { JsonValue } from "../../contract/json.js";
import { isFailureOutput, isSuspensionOutput } from "../../contract/reserved.js";
import { jsonEqual } from "../../log/json-equal.js";
import { differencesOf, type Difference } from "../ui/differences.js";

/** How a report that was not believed stands to what is recorded of its call. */
export interface Standing {
  readonly kind: "same" | "against" | "besides";
  /** What is recorded instead, where that is another ending. */
  readonly words?: string;
  readonly differences: readonly Difference[];
}

const BESIDES: Standing = { kind: "besides", differences: [] };

/** @param recorded the output that the call was closed with. */
export function standingOf(
  { output, error, suspend }: Pick<RefusedReportAnswer, "output" | "error" | "suspend">,
  recorded: JsonValue,
): Standing {
  const against = (words: string): Standing => ({ kind: "against", words, differences: [] });
  if (isFailureOutput(recorded)) {
    if (error !== undefined) return BESIDES;
    if (output === undefined && suspend === undefined) return BESIDES;
    return against(
      recorded.__salvor_error.attempts === 0
        ? "recorded is that it did not happen"
        : "recorded is that it failed",
    );
  }
  if (isSuspensionOutput(recorded)) return BESIDES;
  if (error !== undefined) return against("recorded is that it happened");
  if (output === undefined) return BESIDES;
  if (jsonEqual(output, recorded)) return { kind: "same", differences: [] };
  const differences = differencesOf(recorded, output);
  return { kind: differences.length > 0 ? "against" : "besides", differences };
}
