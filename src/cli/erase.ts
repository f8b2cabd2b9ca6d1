import { NotTerminal } from "../store/errors.js";
import type { EventStore } from "../store/event-store.js";
import { confirm, requireConsent } from "./ask.js";
import { CliError, EXIT, type ExitCode } from "./cli-error.js";
import type { EraseOptions } from "./commands/erase.js";
import { existingFolder, folderError, openFolder } from "./data-folder.js";
import { shellWord } from "./shell-word.js";
import { err, out, printJson } from "./terminal.js";

/** Removes the content of a run that has ended from a folder that no server uses. */
export async function runErase(run: string, options: EraseOptions): Promise<ExitCode> {
  requireConsent(options.yes === true, "erase");
  const dir = await existingFolder(options.data);
  const store = await openFolder(dir);
  try {
    const events = await erase(store, run, dir, options.yes === true);
    if (options.json === true) printJson({ run, erased: true, events });
    else {
      out.line(
        `Erased run ${run}: ${events} events. Its id stays taken, and what its calls settled stays settled.`,
      );
      out.line("Backups of this folder still hold it: remove those that must not.");
    }
    return EXIT.ok;
  } catch (cause) {
    throw folderError(cause, dir);
  } finally {
    await store.close();
  }
}

/** @throws {@link CliError} when the run is not there, has not ended, or was not to be erased after all. */
async function erase(store: EventStore, run: string, dir: string, yes: boolean): Promise<number> {
  const known = await store.readRun(run);
  if (known === undefined)
    throw new CliError(`there is no run ${run} in ${dir}`, {
      next: "salvor erase RUN --data DIR, with the right folder",
    });
  const summary = await store.summary(run);
  if (!known.erased)
    err.line(`run ${run}: ${summary?.content?.status.state ?? "unreadable"}, ${known.eventCount} events`);
  if (!yes && !(await confirm("Erase its content? It cannot be brought back.")))
    throw new CliError("nothing was erased", { next: `salvor export ${run} --data ${shellWord(dir)}` });
  try {
    await store.erase(run);
  } catch (cause) {
    if (!(cause instanceof NotTerminal)) throw cause;
    throw new CliError(cause.message, {
      next: `salvor abandon ${run}, with the server running; then stop it and erase`,
      cause,
    });
  }
  return known.eventCount;
}
