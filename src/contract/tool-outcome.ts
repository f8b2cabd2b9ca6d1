import type { JsonSchema } from "./json.js";

// From the global symbol registry: an outcome made by another copy of this package is an outcome all the same.
const OUTCOME = Symbol.for("salvor.tool-outcome");

/** What a call came to, said explicitly. */
export type ToolOutcome<O> = OutputOutcome<O> | SuspendOutcome;

/** The call has an answer. Made by {@link output}. */
export interface OutputOutcome<O> {
  readonly outcome: "output";
  readonly value: O;
}

/** The call waits for a person. Made by {@link suspend}. */
export interface SuspendOutcome {
  readonly outcome: "suspend";
  readonly reason: string;
  readonly inputSchema: JsonSchema;
}

/** The call's answer; the same as returning `value` itself, for code that likes to name both ways out. */
export function output<O>(value: O): OutputOutcome<O> {
  return marked({ outcome: "output", value });
}

/**
 * Parks the call until a person answers. The answer becomes the call's result; the handler is not run again.
 *
 * @param reason what the person has to decide, in their words.
 * @param inputSchema what an acceptable answer looks like.
 */
export function suspend(reason: string, inputSchema: JsonSchema): SuspendOutcome {
  return marked({ outcome: "suspend", reason, inputSchema });
}

/** Whether a handler returned an outcome rather than plain data that happens to look like one. */
export function isToolOutcome(value: unknown): value is ToolOutcome<unknown> {
  return typeof value === "object" && value !== null && Object.hasOwn(value, OUTCOME);
}

function marked<T extends object>(outcome: T): T {
  return Object.freeze(Object.defineProperty(outcome, OUTCOME, { value: true }));
}
