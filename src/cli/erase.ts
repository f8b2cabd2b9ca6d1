import { NotTerminal } from "../store/errors.js";
import { confirm, requireConsent } from "./ask.js";
import { CliError, EXIT, type ExitCode } from "./cli-error.js";
import type { EraseOptions } from "./commands/erase.js";
import { openPlace, type OpenPlace } from "./open-place.js";
import { err, out, printJson } from "./terminal.js";

/** Removes the content of a run that has ended from a folder that no server uses, or from a database. */
export async function runErase(run: string, options: EraseOptions): Promise<ExitCode> {
  requireConsent(options.yes === true, "erase");
  const opened = await openPlace(options, true);
  try {
    const events = await erase(opened, run, options.yes === true);
    if (options.json === true) printJson({ run, erased: true, events });
    else {
      out.line(
        `Erased run ${run}: ${events} events. Its id stays taken, and what its calls settled stays settled.`,
      );
      out.line(`Backups of ${opened.place} still hold it: remove those that must not.`);
    }
    return EXIT.ok;
  } catch (cause) {
    throw opened.errorOf(cause);
  } finally {
    await opened.store.close();
  }
}

/** @throws {@link CliError} when the run is not there, has not ended, or was not to be erased after all. */
async function erase({ store, place, option }: OpenPlace, run: string, yes: boolean): Promise<number> {
  const known = await store.readRun(run);
  if (known === undefined)
    throw new CliError(`there is no run ${run} in ${place}`, {
      next: `salvor erase RUN ${option}, with the right run, folder or database`,
    });
  const summary = await store.summary(run);
  if (!known.erased)
    err.line(`run ${run}: ${summary?.content?.status.state ?? "unreadable"}, ${known.eventCount} events`);
  if (!yes && !(await confirm("Erase its content? It cannot be brought back.")))
    throw new CliError("nothing was erased", { next: `salvor export ${run} ${option}` });
  try {
    await store.erase(run);
  } catch (cause) {
    if (!(cause instanceof NotTerminal)) throw cause;
    throw new CliError(cause.message, {
      next: `salvor abandon ${run}, with a server running; then erase it (a folder: with that server stopped)`,
      cause,
    });
  }
  return known.eventCount;
}
