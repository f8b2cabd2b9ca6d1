/** A part of the statement that writes a draft. */
export interface Part {
  /** Tells the statements apart that have it from those that have not. */
  readonly name: string;
  /** What it does, as expressions of a WITH; given the places of its values. */
  readonly does: (...places: string[]) => string;
  /** What has to hold once that is done, with the same places. */
  readonly insists?: (...places: string[]) => string;
}

/** A part that a draft needs, with its values. */
export interface Use {
  readonly part: Part;
  readonly values: readonly string[];
}
