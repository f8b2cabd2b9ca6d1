import { envelopeJson } from "../log/envelope-json.js";
import type { Envelope } from "../log/events.js";
import { readRunOf } from "../store/read-run.js";
import { CliError, EXIT, type ExitCode } from "./cli-error.js";
import type { ExportOptions } from "./commands/export.js";
import { databaseOf, readDatabase, type Database } from "./database.js";
import { existingFolder, folderError } from "./data-folder.js";
import { tipOf } from "./exported-run.js";
import { DEFAULT_DATA } from "./help.js";
import { connect } from "./remote.js";
import { shellWord } from "./shell-word.js";
import { err, out } from "./terminal.js";

/** Prints the envelopes of a run. */
export async function runExport(run: string, options: ExportOptions): Promise<ExitCode> {
  const { data, url } = options;
  const database = databaseOf(options);
  let log: readonly Envelope[];
  if (database !== undefined) log = await logOf(database, run);
  else if (url !== undefined && data === undefined)
    log = await connect({ ...options, url }).ask((client) => client.log(run), run);
  else log = await logIn(data ?? DEFAULT_DATA, run);
  for (const envelope of log) out.line(envelopeJson(envelope));
  err.line(`${log.length} events of run ${run}; the last hash is ${tipOf(log)}`);
  return EXIT.ok;
}

function logOf(database: Database, run: string): Promise<readonly Envelope[]> {
  return readDatabase(database, async (store) => {
    const found = await store.readRun(run);
    if (found !== undefined && !found.erased) return store.readLog(run);
    const what =
      found === undefined ? `there is no run ${run} in ${database.place}` : `run ${run} was erased`;
    throw new CliError(what, {
      next: `salvor export RUN ${database.option}, with the right run or database`,
    });
  });
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
