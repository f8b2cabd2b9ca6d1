import { startServer, type AppState, type ListenOptions, type RunningServer } from "../server/index.js";
import { bindText } from "./bind.js";
import { CliError } from "./cli-error.js";

/**
 * Starts a server where it is told to listen.
 *
 * @param next what to type when that address is not to be had.
 * @throws {@link CliError} when the address cannot be bound; the store is closed by then.
 */
export async function listen(state: AppState, where: ListenOptions, next: string): Promise<RunningServer> {
  try {
    return await startServer(state, where);
  } catch (cause) {
    await state.store.close();
    throw new CliError(`cannot listen on ${bindText(where)}: ${listenProblem(cause)}`, { next, cause });
  }
}

/** Why an address cannot be listened on, in words that go on from "cannot listen on ...: ". */
function listenProblem(cause: unknown): string {
  switch ((cause as NodeJS.ErrnoException).code) {
    case "EADDRINUSE":
      return "the port is in use by another process";
    case "EACCES":
      return "this user may not bind that port";
    case "EADDRNOTAVAIL":
      return "this machine does not have that address";
    default:
      return cause instanceof Error ? cause.message : String(cause);
  }
}
