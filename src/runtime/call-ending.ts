import type { CallOutcome } from "../contract/dyn-tool.js";
import type { Effect } from "../contract/effect.js";
import { judgeFailure } from "../contract/judge-failure.js";
import { judgeOutcome } from "../contract/judge-outcome.js";
import type { JsonValue } from "../contract/json.js";
import type { Failed } from "../contract/perform-call.js";
import { failureOutput, suspensionOutput, type FailureOutput } from "../contract/reserved.js";
import { OutputSerialization } from "../contract/tool-errors.js";
import { output, suspend } from "../contract/tool-outcome.js";
import type { Payloads } from "../log/events.js";
import { OutcomeUnknown, type CallName } from "./call-errors.js";
import { whyUnusable } from "./suspension-schema.js";

/** How a call ended, and `recorded`, the output of its completion. */
export type Ending =
  | { readonly kind: "output"; readonly recorded: JsonValue }
  | { readonly kind: "suspended"; readonly recorded: JsonValue; readonly suspension: Payloads["Suspended"] }
  | {
      readonly kind: "failed";
      readonly recorded: JsonValue;
      readonly failure: FailureOutput["__salvor_error"];
      /** What the tool threw last. */
      readonly cause: unknown;
    };

/**
 * An outcome that can be recorded as it is, in a copy of its own: also that of a tool that nobody but itself has judged.
 *
 * @throws `OutputSerialization` when it cannot be recorded.
 */
export async function recordable(tool: string, outcome: CallOutcome): Promise<CallOutcome> {
  if (outcome.outcome === "output") return judgeOutcome(tool, output(outcome.output), undefined);
  const suspended = await judgeOutcome(tool, suspend(outcome.reason, outcome.inputSchema), undefined);
  const problem = await whyUnusable(outcome.inputSchema);
  if (problem === undefined) return suspended;
  throw new OutputSerialization(tool, [{ path: "suspend", message: problem }]);
}

/**
 * What is to be recorded of a call that was performed.
 *
 * @throws {@link OutcomeUnknown} when it is a `write` of which nothing may be recorded.
 */
export function endingOf(call: CallName, effect: Effect, end: CallOutcome | Failed): Ending {
  switch (end.outcome) {
    case "output":
      return { kind: "output", recorded: end.output };
    case "suspend": {
      const { reason, inputSchema: input_schema } = end;
      return {
        kind: "suspended",
        recorded: suspensionOutput(reason, input_schema),
        suspension: { reason, input_schema },
      };
    }
    case "failed": {
      const verdict = judgeFailure(effect, end.error);
      const { cause } = verdict;
      if (!verdict.definite) throw new OutcomeUnknown(call, verdict.problem, { cause });
      const recorded = failureOutput(verdict.kind, verdict.message, end.attempts);
      return { kind: "failed", recorded, failure: recorded.__salvor_error, cause };
    }
  }
}
