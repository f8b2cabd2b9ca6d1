import type { ValueSize } from "./value-size.js";

/** Nanoseconds, each measured on a slow machine and rounded up. */
const NODE = 1000;
const COMPARED_PART = 100;
const STEP = 5;
const PATTERN_STEP = 150;
const TEXT = 10;

/** What a subschema costs each time it meets a value. */
export interface Weight {
  /** Nanoseconds for the value itself. */
  readonly node: number;
  /** Nanoseconds for each character. */
  readonly text: number;
  /** Nanoseconds for the third power of the length: formats whose expression may backtrack. */
  readonly cubic: number;
}

/** An upper bound of what judging costs: what meets one value only, and what may meet every part of it. */
export interface Cost {
  readonly once: Weight;
  readonly each: Weight;
}

export const NO_WEIGHT: Weight = { node: 0, text: 0, cubic: 0 };
export const NO_COST: Cost = { once: NO_WEIGHT, each: NO_WEIGHT };
/** Recursive, or with references that are not understood: there is no bound. */
export const UNBOUNDED: Cost = { once: { node: Infinity, text: 0, cubic: 0 }, each: NO_WEIGHT };

export function addWeight(a: Weight, b: Weight): Weight {
  return { node: a.node + b.node, text: a.text + b.text, cubic: a.cubic + b.cubic };
}

export function addCost(a: Cost, b: Cost): Cost {
  return { once: addWeight(a.once, b.once), each: addWeight(a.each, b.each) };
}

/** The cost of a subschema that meets any number of members or items. */
export function forEach(cost: Cost): Cost {
  return { once: NO_WEIGHT, each: addWeight(cost.once, cost.each) };
}

export function manyTimes({ once, each }: Cost, factor: number): Cost {
  const scale = ({ node, text, cubic }: Weight): Weight => ({
    node: node * factor,
    text: text * factor,
    cubic: cubic * factor,
  });
  return { once: scale(once), each: scale(each) };
}

/** @param comparedParts keywords, and what they compare a value with. */
export function nodeWeight(comparedParts: number): Weight {
  return { ...NO_WEIGHT, node: NODE + COMPARED_PART * comparedParts };
}

export function patternWeight(programSize: number): Weight {
  return { ...NO_WEIGHT, text: PATTERN_STEP * programSize };
}

export const TEXT_WEIGHT: Weight = { ...NO_WEIGHT, text: TEXT };

/** The expressions of ajv-formats are linear, but for those named here. */
const BACKTRACKING: ReadonlySet<string> = new Set(["url", "regex"]);

export function formatWeight(format: string): Weight {
  return BACKTRACKING.has(format) ? { ...NO_WEIGHT, cubic: STEP } : { ...NO_WEIGHT, text: 4 * STEP };
}

/** At most how many nanoseconds a value of this size takes. */
export function judgingTime({ once, each }: Cost, { parts, text, longest }: ValueSize): number {
  // Not longest ** 3: a power is a call, and this is asked for every value.
  const square = longest * longest;
  return (
    once.node +
    once.text * longest +
    once.cubic * square * longest +
    each.node * parts +
    each.text * text +
    each.cubic * text * square
  );
}
