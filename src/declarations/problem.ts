/** One thing wrong with a declaration: where, what, and what to write instead. */
export interface DeclarationProblem {
  /** The file as it was named; absent for a declaration that a host made in code. */
  readonly file?: string;
  /** From 1. Absent where the place in the text is not known for certain. */
  readonly line?: number;
  /** From 1, in characters of the line. */
  readonly column?: number;
  /** The key at fault, as TOML writes it: `input_schema.properties.amount_cents.type`. Empty when it is the whole file. */
  readonly key: string;
  readonly what: string;
  readonly advice: string;
}

/** A problem in one line: `refund.toml:3:1: effect is "delete" - write "read", "idempotent" or "write"`. */
export function renderProblem({ file, line, column, what, advice }: DeclarationProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return `${place === "" ? "" : `${place}: `}${what} - ${advice}`;
}

/** Declarations that are refused, with every problem of every one of them. */
export class DeclarationError extends Error {
  override readonly name = "DeclarationError";
  readonly code = "declaration_refused";

  constructor(
    readonly problems: readonly DeclarationProblem[],
    options?: ErrorOptions,
  ) {
    super(problems.map(renderProblem).join("\n"), options);
  }
}
