/** The program that a supervisor is to run, sent to it once. */
export interface SupervisedProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  /** What its processes are recognised by. */
  readonly mark: string;
}

/** What a supervisor says, in this order. */
export type SupervisorReport =
  | { readonly kind: "started"; readonly pid: number }
  | { readonly kind: "not_started"; readonly problem: string }
  | { readonly kind: "ended"; readonly how: string };

/** The descriptors that the supervisor hands to its program as standard input and output. */
export const [PROGRAM_INPUT, PROGRAM_OUTPUT] = [4, 5] as const;

/** How long a program that was asked to end (SIGTERM) may take, in milliseconds. */
export const TERM_GRACE_MS = 1_500;
