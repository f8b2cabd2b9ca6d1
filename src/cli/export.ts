import { envelopeJson } from "../log/envelope-json.js";
import type { Envelope } from "../log/events.js";
import { readRunOf } from "../store/read-run.js";
import { CliError, EXIT, type ExitCode } from "./cli-error.js";
import type { ExportOptions } from "./commands/export.js";
import { existingFolder, folderError } from "./data-folder.js";
import { tipOf } from "./exported-run.js";
import { DEFAULT_DATA } from "./help.js";
import { connect } from "./remote.js";
import { shellWord } from "./shell-word.js";
import { err, out } from "./terminal.js";

/** Prints the envelopes of a run. */
export async function runExport(run: string, options: ExportOptions): Promise<ExitCode> {
  const { data, url } = options;
  const log =
    url !== undefined && data === undefined
      ? await connect({ ...options, url }).ask((client) => client.log(run), run)
      : await logIn(data ?? DEFAULT_DATA, run);
  for (const envelope of log) out.line(envelopeJson(envelope));
  err.line(`${log.length} events of run ${run}; the last hash is ${tipOf(log)}`);
  return EXIT.ok;
}

async function logIn(data: string, run: string): Promise<readonly Envelope[]> {
  const dir = await existingFolder(data);
  const found = await readRunOf(dir, run).catch((cause: unknown) => {
    throw folderError(cause, dir);
  });
  if (found !== undefined && !found.erased) return found.log;
  const what = found === undefined ? `there is no run ${run} in ${dir}` : `run ${run} was erased`;
  throw new CliError(what, {
    next: `salvor list --url URL, or salvor export RUN --data DIR; not ${shellWord(data)}`,
  });
}
