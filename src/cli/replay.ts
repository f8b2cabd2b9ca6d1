import type { ReplayAnswer } from "../client/answers.js";
import { EXIT, type ExitCode } from "./cli-error.js";
import type { ReplayOptions } from "./commands/replay.js";
import { prettyJson } from "./pending-call.js";
import { printable } from "./printable.js";
import { connect } from "./remote.js";
import { out, printJson } from "./terminal.js";

/** Prints what the log of a run means. */
export async function runReplay(id: string, options: ReplayOptions): Promise<ExitCode> {
  const remote = connect(options);
  const replay = await remote.ask((client) => client.replay(id), id);
  if (options.json === true) {
    printJson(replay);
    return EXIT.ok;
  }
  print(id, replay);
  out.line(`Next: salvor history ${id}${remote.flags}`);
  return EXIT.ok;
}

function print(
  id: string,
  { status: { state, ...rest }, usage, pending, next_seq: next }: ReplayAnswer,
): void {
  const name = (text: string) => out.paint("bold", text);
  out.line(`${name("run")}     ${id}`);
  out.line(`${name("status")}  ${state}`);
  if (Object.keys(rest).length > 0) out.line(`        ${prettyJson(rest)}`);
  out.line(`${name("open")}    ${openWords(pending)}`);
  out.line(`${name("tokens")}  ${usage.input_tokens} in, ${usage.output_tokens} out`);
  out.line(`${name("next")}    #${next}`);
}

function openWords(pending: ReplayAnswer["pending"]): string {
  if (pending === null) return "no call";
  if (pending.kind === "model") return `a model call #${pending.seq}`;
  return `${printable(pending.tool)} #${pending.seq} (${pending.effect}) with ${prettyJson(pending.input)}`;
}
