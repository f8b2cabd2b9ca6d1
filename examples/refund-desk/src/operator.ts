/** Who decides, as the log shall say. */
export const OPERATOR = "operator-on-duty";

/** What the operator found out about a call. */
export interface Finding {
  readonly run: string;
  /** What the provider's books say that it came to. */
  readonly output: unknown;
  readonly note: string;
}

export interface ShellCommand {
  /** Its words, the command and each option on a line of its own. */
  readonly command: readonly (readonly string[])[];
  readonly env: Readonly<Record<string, string>>;
}

/** What the operator types to settle the open call of a run. Only the operator holds the token that this takes. */
export function resolveCommand(url: string, token: string, { run, output, note }: Finding): ShellCommand {
  const command = [
    ["salvor", "resolve", run],
    ["--output", JSON.stringify(output)],
    ["--note", note],
    ["--operator", OPERATOR],
    ["--url", url],
    ["--operator-token", "SALVOR_OPERATOR_TOKEN"],
    ["--yes"],
  ];
  return { command, env: { SALVOR_OPERATOR_TOKEN: token } };
}

/** A word as a shell reads it back. */
export function shellWord(word: string): string {
  return /^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
