import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { holds, type Envelope } from "../log/events.js";
import { Conflict, RunErased } from "../store/errors.js";
import type { EventStore } from "../store/event-store.js";
import { impliedIdentities } from "../store/implied-identities.js";
import { asError } from "../store/write-layer.js";
import { CliError, EXIT, type ExitCode } from "./cli-error.js";
import type { ImportOptions } from "./commands/import.js";
import { openPlace } from "./open-place.js";
import { ExportRefused, readExport, type ExportedRun } from "./exported-run.js";
import { printable } from "./printable.js";
import { progressLine } from "./progress-line.js";
import { err, out, printJson } from "./terminal.js";

interface Refused {
  readonly run?: string;
  readonly code: string;
  readonly message: string;
}

/** Takes exported runs into a data folder or a database, each as a whole or not at all. */
export async function runImport(files: readonly string[], options: ImportOptions): Promise<ExitCode> {
  const refused: Refused[] = [];
  const runs: ExportedRun[] = [];
  for (const file of files) {
    try {
      runs.push(...readExport(await contentOf(file), file === "-" ? "standard input" : file));
    } catch (error) {
      if (!(error instanceof ExportRefused)) throw error;
      refused.push({ code: error.code, message: error.message });
    }
  }
  const imported = runs.length === 0 ? [] : await importAll(runs, options, refused);
  if (options.json === true) {
    const shown = imported.map(({ run, log, tip }) => ({ run, events: log.length, tip }));
    printJson({ ok: refused.length === 0, imported: shown, refused });
  } else print(imported, refused);
  return refused.length === 0 ? EXIT.ok : EXIT.failed;
}

async function importAll(runs: readonly ExportedRun[], options: ImportOptions, refused: Refused[]) {
  const { store, errorOf } = await openPlace(options);
  const imported: ExportedRun[] = [];
  const progress = progressLine(process.stderr);
  try {
    for (const exported of runs) {
      const why = await importRun(store, exported);
      if (why === undefined) imported.push(exported);
      else refused.push(why);
      progress.show(`importing: ${imported.length} of ${runs.length} runs`);
    }
    return imported;
  } catch (cause) {
    throw errorOf(cause);
  } finally {
    progress.clear();
    await store.close();
  }
}

/** Imports one run; answers why not, if not. */
async function importRun(store: EventStore, { run, log }: ExportedRun): Promise<Refused | undefined> {
  const known = await store.readRun(run);
  // One that was opened and has no event is what an import leaves that was cut short.
  if (known !== undefined && (known.erased || known.eventCount > 0)) {
    const what = known.erased ? "was erased here" : `is here already, with ${known.eventCount} events`;
    return { run, code: "run_exists", message: `run ${run} ${what}` };
  }
  try {
    const lease = randomBytes(32).toString("hex");
    if (isClients(log)) {
      // The lease is nobody's: its driver opens the run again and goes on.
      await store.openRun(run, lease, { kind: "client", record_prompts: keptPrompts(log) });
    }
    await store.append(run, log, { identities: impliedIdentities(log) });
    return undefined;
  } catch (error) {
    if (error instanceof RunErased || error instanceof Conflict) {
      const message = `run ${run} does a call that another run did already: ${error.message}`;
      return { run, code: error instanceof Conflict ? "conflict" : "run_exists", message };
    }
    throw error;
  }
}

/** Whether a client drove the run: no call in it was performed by a server or by a process that embeds one. */
function isClients(log: readonly Envelope[]): boolean {
  return log.every(
    (envelope) =>
      !(holds(envelope, "ToolCallRequested") || holds(envelope, "ModelCallRequested")) ||
      envelope.event.payload.performed_by === "client",
  );
}

function keptPrompts(log: readonly Envelope[]): boolean {
  return log.some(
    (envelope) => holds(envelope, "ModelCallRequested") && envelope.event.payload.request_body !== undefined,
  );
}

async function contentOf(file: string): Promise<string> {
  try {
    return file === "-" ? await text(process.stdin) : await readFile(file, "utf8");
  } catch (cause) {
    throw new CliError(`cannot read ${file}: ${asError(cause).message}`, {
      next: "salvor import FILE, with a file that salvor export wrote",
      exitCode: EXIT.usage,
      cause,
    });
  }
}

function print(imported: readonly ExportedRun[], refused: readonly Refused[]): void {
  for (const { run, log, tip } of imported)
    out.line(`imported  ${run}  ${log.length} events; the last hash is ${tip}`);
  for (const { code, message } of refused)
    err.line(`${err.paint("red", "refused")}   ${code}: ${printable(message)}`);
  out.line(`${imported.length} runs imported, ${refused.length} refused.`);
}
