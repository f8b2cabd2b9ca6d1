import type { RE2JS } from "re2js" with { "resolution-mode": "require" };
import { PatternError, toRe2 } from "./ecma-pattern.js";
import { loadEngine } from "./load-engine.js";

/** A compiled pattern that takes time linear in the text it is tried on. */
export interface LinearPattern {
  test(text: string): boolean;
  /** How many instructions it has; its time is at most proportional to this times the length of the text. */
  readonly size: number;
  /** The pattern as it was written: distinct for distinct patterns, which ajv relies on. */
  toString(): string;
}

/**
 * Compiles an ECMAScript pattern to run on RE2.
 *
 * @throws {@link PatternError} when it cannot be run in linear time.
 */
export function linearPattern(pattern: string): LinearPattern {
  const compiled = compile(toRe2(pattern));
  return { test: (text) => compiled.test(text), size: compiled.programSize(), toString: () => pattern };
}

function compile(pattern: string): RE2JS {
  try {
    return loadEngine("re2").RE2JS.compile(pattern);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message.replace(/^error parsing regexp: /, "") : "unknown";
    throw new PatternError(`cannot be run in linear time: ${message}`, { cause });
  }
}
