import { createInterface } from "node:readline/promises";
import { CliError, EXIT } from "./cli-error.js";
import { sameCommand } from "./shell-word.js";

/** Where a question is asked: both ends must be a terminal for anybody to answer it. */
export interface Conversation {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/**
 * Refuses to go on without a person or `--yes`: checked before anything else is done.
 *
 * @throws {@link CliError} (usage) when nobody can be asked and `yes` is not given.
 */
export function requireConsent(yes: boolean, verb: string, { input, output }: Conversation = STANDARD): void {
  if (yes || (input.isTTY === true && output.isTTY === true)) return;
  throw new CliError(`${verb} asks before it records a decision, and no terminal is here to ask on`, {
    next: sameCommand("--yes"),
    exitCode: EXIT.usage,
  });
}

/** Asks a question; only `y` or `yes` is a yes, and an end of input is a no. */
export async function confirm(question: string, conversation: Conversation = STANDARD): Promise<boolean> {
  const dialogue = createInterface({ input: conversation.input, output: conversation.output });
  const closed = new Promise<string>((answer) =>
    dialogue.once("close", () => {
      answer("");
    }),
  );
  try {
    const answer = await Promise.race([dialogue.question(`${question} [y/N] `), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    dialogue.close();
  }
}

// The question goes to standard error, so that standard output holds the result and nothing else.
const STANDARD: Conversation = { input: process.stdin, output: process.stderr };
