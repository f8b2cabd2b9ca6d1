import type { Command, Option } from "commander";
import { SalvorClient } from "../client/salvor-client.js";
import { ageOf } from "./age.js";
import { DEFAULT_URL } from "./help.js";
import { parseServerUrl } from "./option-parsers.js";
import { FILES, SCRIPTS, type Shell } from "./shells.js";
import { out } from "./terminal.js";

/** How a word may go on, and what that is. */
export interface Candidate {
  readonly value: string;
  readonly what?: string;
}

/** Somebody has pressed a key and waits: a server that does not answer by then has no runs to offer. */
const PATIENCE_MS = 1_000;
const MOST_RUNS = 200;

/** Prints the script of a shell, or, with words, how the last of them may go on. Never fails for what stands in the words. */
export async function runCompletion(
  shell: Shell,
  words: readonly string[] | undefined,
  program: Command,
): Promise<void> {
  if (words === undefined) {
    out.line(SCRIPTS[shell]);
    return;
  }
  for (const { value, what } of await candidates(program, words, runsOf))
    out.line(what === undefined ? value : `${value}\t${what}`);
}

/**
 * How the last word of a command line may go on.
 *
 * @param words what stands behind `salvor`; the last one is not finished, and may be empty.
 * @param runs finds the runs of a server, given the words.
 */
export async function candidates(
  program: Command,
  words: readonly string[],
  runs: (words: readonly string[]) => Promise<readonly Candidate[]>,
): Promise<readonly Candidate[]> {
  const last = words.at(-1) ?? "";
  const { command, rest } = commandOf(program, words.slice(0, -1));
  const fitting = (all: readonly Candidate[]) => all.filter(({ value }) => value.startsWith(last));
  const before = rest.at(-1);
  const open = command.options.find((option) => takesValue(option) && option.long === before);
  if (open !== undefined)
    return valuesOf(open).filter(({ value }) => value === FILES || value.startsWith(last));
  if (last.startsWith("-")) return fitting(optionsOf(command, rest));
  if (command.commands.length > 0) return fitting(verbsOf(command));
  const argument =
    command.registeredArguments[positionals(command, rest)] ?? command.registeredArguments.at(-1);
  if (argument === undefined) return fitting(optionsOf(command, rest));
  if (argument.argChoices !== undefined) return fitting(argument.argChoices.map((value) => ({ value })));
  return argument.name() === "RUN" ? fitting(await runs(rest)) : [{ value: FILES }];
}

/** The command that the first words name, and the words behind them. */
function commandOf(
  program: Command,
  words: readonly string[],
): { command: Command; rest: readonly string[] } {
  const [first, ...rest] = words[0] === "help" ? words.slice(1) : words;
  const found = program.commands.find((command) => command.name() === first);
  return found === undefined ? { command: program, rest: words } : commandOf(found, rest);
}

function takesValue(option: Option): boolean {
  return option.required || option.optional;
}

/** How many of the words are arguments, not options or their values. */
function positionals(command: Command, words: readonly string[]): number {
  return words.filter((word, at) => {
    const before = command.options.find((option) => option.long === words[at - 1]);
    return !word.startsWith("-") && !(before !== undefined && takesValue(before));
  }).length;
}

function verbsOf(command: Command): readonly Candidate[] {
  return command.commands.map((verb) => ({ value: verb.name(), what: verb.description() }));
}

/** The options that are not there yet; whether one may be there twice is the command's to say. */
function optionsOf(command: Command, words: readonly string[]): readonly Candidate[] {
  return [...command.options]
    .filter(({ long, hidden }) => long !== undefined && !hidden && !words.includes(long))
    .map(({ long, description }) => ({ value: String(long), what: description }))
    .concat({ value: "--help", what: "show this help" });
}

/** What may stand behind an option: its choices, the names of variables (never what is in them), or files. */
function valuesOf({ argChoices, flags }: Option): readonly Candidate[] {
  if (argChoices !== undefined) return argChoices.map((value) => ({ value }));
  if (flags.includes("<VAR>")) return Object.keys(process.env).map((value) => ({ value }));
  return [{ value: FILES }];
}

/** The runs that are not over of the server that the words name. None when it cannot be asked. */
async function runsOf(words: readonly string[]): Promise<readonly Candidate[]> {
  const named = (option: string) => words[words.indexOf(option) + 1];
  const valueOf = (option: string) => (words.includes(option) ? named(option) : undefined);
  const variable = valueOf("--auth-token") ?? valueOf("--operator-token");
  const token = variable === undefined ? undefined : process.env[variable];
  try {
    const url = parseServerUrl(valueOf("--url") ?? process.env["SALVOR_URL"] ?? DEFAULT_URL);
    const client = new SalvorClient({ url, retries: 0, ...(token !== undefined && { token }) });
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const groups = ["waiting", "progress"] as const;
    const pages = await Promise.all(
      groups.map((group) => client.runs({ group, limit: MOST_RUNS }, { signal })),
    );
    const now = Date.now();
    return pages
      .flatMap(({ runs }) => runs)
      .map((run) => ({
        value: run.run,
        what: `${run.status?.state ?? "unreadable"}, ${ageOf(run.last_recorded_at, now)}`,
      }));
  } catch {
    return [];
  }
}
