import type { JsonSchema, JsonValue } from "../contract/json.js";
import { once } from "../contract/once.js";
import type { Judge, Violation } from "../contract/validator.js";
import { checkSchema } from "./check-schema.js";
import { compile } from "./compile.js";
import { judgingTime } from "./cost.js";
import { judgeElsewhere } from "./judge-pool.js";
import type { Trust } from "./judge-protocol.js";
import { isPlainSchema } from "./plain-schema.js";
import { RULES } from "./rules.js";
import { boundSchema } from "./schema-bounds.js";
import { isTiny, measure, TINY, type ValueSize } from "./value-size.js";

/** What is judged on this thread takes at most about this long, in nanoseconds: an upper bound, computed before. */
const INLINE_NS = 10_000_000;
/** Up to this bound all violations are collected, elsewhere; beyond it judging stops at the first. */
const ALL_ERRORS_NS = 200_000_000;
/** A violation carries its whole path, so keys longer than this, in characters, are not left to chance. */
const PLAIN_KEY = 256;
/** A schema of more characters takes long enough to compile that it is done when tools are registered, not in a call. */
const LAZY_TEXT = 10_000;
const SMALLEST: ValueSize = { parts: 1, text: 0, longest: 0, longestKey: 0 };

/**
 * Makes a judge for a schema that an operator or a tool's author wrote. What is provably quick is judged at once, everything
 * else on a worker thread under the deadline. A small author's schema that is plainly a schema waits for its first value, or for
 * `ready`: a program with a hundred tools starts without compiling any.
 *
 * @param text the JSON text of the schema, when it is at hand.
 * @throws {@link SchemaError} naming the place in the schema.
 */
export function makeJudge(schema: JsonSchema, trust: Trust, deadlineMs: number, text?: string): Judge {
  const isPlain = isPlainSchema(schema);
  if (!isPlain) boundSchema(schema, RULES[trust].limits);
  // What is checked is what is judged with, whatever becomes of the caller's object.
  const schemaText = text ?? JSON.stringify(schema);
  const check = once(() => checkSchema(JSON.parse(schemaText) as JsonSchema, RULES[trust]));
  const build = once(() => compile(check(), { strict: RULES[trust].strict, allErrors: true }));
  const isQuick = (size: ValueSize) =>
    judgingTime(check().cost, size) <= INLINE_NS && size.longestKey <= PLAIN_KEY;
  const isQuickIfTiny = once(() => isQuick(TINY));
  const isLarge = schemaText.length > LAZY_TEXT;
  if (trust === "operator" || isLarge) build();
  else if (!isPlain) check();
  // The engine compiles the code of a judge when it first runs; that belongs to loading, not to the first request.
  if (trust === "operator" && isQuick(SMALLEST)) build()(null);
  const judge = (value: JsonValue) => {
    try {
      if (isTiny(value) && isQuickIfTiny()) return build()(value);
    } catch (error) {
      return refusal(error);
    }
    const size = measure(value);
    if ("message" in size) return [size];
    try {
      if (isQuick(size)) return build()(value);
    } catch (error) {
      return refusal(error);
    }
    const allErrors =
      isSmall(size) || (judgingTime(check().cost, size) <= ALL_ERRORS_NS && size.longestKey <= PLAIN_KEY);
    return judgeElsewhere({ schemaText, trust, allErrors, value }, deadlineMs).catch(refusal);
  };
  return Object.assign(judge, { ready: () => void build() });
}

/** Whether all violations may be collected whatever the schema, where there is a deadline and a memory limit. */
export function isSmall({ parts, longestKey }: ValueSize): boolean {
  return parts <= 1000 && longestKey <= PLAIN_KEY;
}

function refusal(error: unknown): readonly Violation[] {
  return [{ path: "$", message: error instanceof Error ? error.message : String(error) }];
}
