import type { JsonSchema, JsonValue } from "./json.js";

/** One thing wrong with a value: where, as `$.lines[2].amount_cents`, and what was expected and found. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

/**
 * Judges values against one compiled schema. Answers every violation found (at most 100), none when the value is accepted.
 * Answers at once where the work is small, and with a promise where it is done elsewhere under a deadline. Never throws for a value.
 */
export interface Judge {
  (value: JsonValue): readonly Violation[] | Promise<readonly Violation[]>;

  /**
   * Does what was postponed to the first value: whoever judges what cannot be undone asks for it before.
   *
   * @throws what {@link Validator.compile} throws.
   */
  readonly ready?: () => void;
}

/**
 * Judges what a tool is asked or what it answered. A judge that is the author's own code may never answer; with a signal it
 * rejects with its reason when the call is given up.
 */
export interface ToolJudge {
  (value: JsonValue, signal?: AbortSignal): readonly Violation[] | Promise<readonly Violation[]>;
  readonly ready?: () => void;
}

/** Compiles JSON Schemas to judges: the seam between the contract, which imports nothing, and `schema/`, which implements it. */
export interface Validator {
  /**
   * @throws an error that names the place in the schema when it does not compile; a part of that may be postponed.
   */
  readonly compile: SchemaCompiler;
}

/** What {@link Validator.compile} is: a method will do. */
export interface SchemaCompiler {
  (schema: JsonSchema, text?: string): Judge;

  /**
   * Whether a schema is only looked at while this runs, and never kept: then it is given the object that the author holds, with the
   * JSON text of it, and no copy has to be made of a schema that nobody asks for. It says so itself, so that no other function
   * that takes its place in a validator is thought to do the same.
   */
  readonly keepsNoSchema?: boolean;
}
