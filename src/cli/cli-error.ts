/** What `salvor` exits with: done, refused or failed, called wrongly, or somebody waits (docs/cli.md, "Exit codes"). */
export const EXIT = { ok: 0, failed: 1, usage: 2, waiting: 3 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Something that a person can expect and put right: printed without a stack, followed by what to type next. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly code = "cli";
  /** The command to type next, or the thing to do. */
  readonly next: string;
  readonly exitCode: ExitCode;

  constructor(message: string, how: { next: string; exitCode?: ExitCode; cause?: unknown }) {
    super(message, how.cause === undefined ? undefined : { cause: how.cause });
    this.next = how.next;
    this.exitCode = how.exitCode ?? EXIT.failed;
  }
}
