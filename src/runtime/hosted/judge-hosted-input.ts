import type { DynTool } from "../../contract/dyn-tool.js";
import type { JsonValue } from "../../contract/json.js";
import type { Timing } from "../../contract/perform-call.js";
import { InvalidInput } from "../../contract/tool-errors.js";
import type { Judge } from "../../contract/validator.js";
import { createValidator } from "../../schema/index.js";
import { JudgingTimeout } from "./hosted-errors.js";

/** A tool, as far as it says which inputs it accepts. */
export type JudgedTool = Pick<DynTool, "name" | "inputSchema" | "judgeInput">;

/** Within what a tool's own schema has to judge an input. */
export interface JudgingBounds {
  readonly timing: Timing;
  /** What a call of the tool may take; judging its input may take {@link LEAST_MS} in any case. */
  readonly timeoutMs: number;
  /** Aborted when nobody waits for the verdict any more. */
  readonly signal: AbortSignal;
}

/** The first input may have its schema compiled, which is no part of what a call takes. */
const LEAST_MS = 2_000;

/**
 * Judges an input that is to be recorded. A tool's schema may be its author's code, which may take as long as it likes: nothing
 * of a run may be held while it does.
 *
 * @throws {@link InvalidInput} when the tool does not accept the input.
 * @throws {@link JudgingTimeout} when it has not said in time whether it does.
 * @throws the signal's reason.
 */
export async function judgeHostedInput(
  tool: JudgedTool,
  input: JsonValue,
  { timing, timeoutMs, signal }: JudgingBounds,
): Promise<void> {
  const judge = tool.judgeInput ?? judgeOfSchema(tool);
  const judged = new AbortController();
  const limitMs = Math.max(timeoutMs, LEAST_MS);
  const timeout = timing.wait(limitMs, AbortSignal.any([signal, judged.signal])).then((): never => {
    throw new JudgingTimeout(tool.name, limitMs);
  });
  try {
    const violations = await Promise.race([judge(input), timeout]);
    if (violations.length > 0) throw new InvalidInput(tool.name, violations);
  } finally {
    judged.abort();
    // Whoever waited has been told.
    timeout.catch(() => undefined);
  }
}

/** Compiled once for each tool, not at every call. */
const judges = new WeakMap<JudgedTool, Judge>();

function judgeOfSchema(tool: JudgedTool): Judge {
  const known = judges.get(tool);
  if (known !== undefined) return known;
  const judge = createValidator().compile(tool.inputSchema);
  judges.set(tool, judge);
  return judge;
}
