import {
  type ClientToolRegistry,
  DeclarationError,
  loadDeclarations,
  renderProblem,
} from "../declarations/index.js";
import type { EventStore } from "../store/event-store.js";
import { keepFor } from "../store/index.js";
import { AppState, startServer, type RunningServer } from "../server/index.js";
import { bindText } from "./bind.js";
import { openStore } from "./open-store.js";
import { CliError, EXIT, type ExitCode } from "./cli-error.js";
import type { ServeOptions } from "./commands/serve.js";
import type { BindAddress } from "./option-parsers.js";
import { printable } from "./printable.js";
import { serveSettings } from "./serve-settings.js";
import { announce } from "./serve-words.js";
import { serverLog } from "./server-log.js";
import { shellWord } from "./shell-word.js";
import { SHUTDOWN_DEADLINE_MS, whenAskedToStop, within } from "./shutdown.js";
import { out } from "./terminal.js";

/**
 * Serves until a signal asks it to stop. Everything that can be judged is judged before the port is bound, and the store
 * is open by then.
 */
export async function runServe(options: ServeOptions): Promise<ExitCode> {
  const { bind, ...settings } = await serveSettings(options);
  const tools = loadTools(options.clientTool);
  const asked = whenAskedToStop();
  const log = serverLog(options);
  const { store, place, passwordShown } = await openStore(options, (news) => {
    log.logger.warn({ store: news });
  });
  const state = new AppState({
    ...settings,
    store,
    allowOrigins: options.allowOrigin,
    insecure: options.insecure === true,
    logger: log.logger,
    logPayloads: options.logPayloads === true,
  }).withClientTools(tools);
  const server = await listen(state, bind, store);

  const stopErasing =
    options.retain === undefined
      ? undefined
      : keepFor(store, {
          days: options.retain,
          onErased: (count) => {
            log.logger.info({ erased: count }, "erased runs that ended long ago");
          },
          onProblem: (error) => {
            log.logger.error({ err: error }, "runs that ended long ago could not be erased");
          },
        });

  announce(out, server.url, { ...options, place, passwordShown }, tools.published());

  const signal = await asked;
  log.logger.info({ signal }, "stopping");
  const done = await within(SHUTDOWN_DEADLINE_MS, Promise.all([stopErasing?.(), server.close()])).catch(
    (error: unknown) => {
      log.logger.error({ err: error }, "the store could not be closed");
      return false;
    },
  );
  log.logger.info(done ? "stopped" : "stopped before everything was finished");
  log.flush();
  // A connection or a timer that is left must not keep a stopped server alive.
  process.exit(done ? EXIT.ok : EXIT.failed);
}

/** @throws {@link CliError} with every problem of every file. */
function loadTools(paths: readonly string[]): ClientToolRegistry {
  try {
    return loadDeclarations(paths).registry;
  } catch (cause) {
    if (!(cause instanceof DeclarationError)) throw cause;
    const problems = cause.problems.map((problem) => `\n  ${printable(renderProblem(problem))}`);
    throw new CliError(`the server does not start with these declarations:${problems.join("")}`, {
      next: `salvor check ${paths.map(shellWord).join(" ")}`,
      cause,
    });
  }
}

/** @throws {@link CliError} when the address cannot be bound; the store is closed by then. */
async function listen(state: AppState, bind: BindAddress, store: EventStore): Promise<RunningServer> {
  try {
    return await startServer(state, bind);
  } catch (cause) {
    await store.close();
    throw new CliError(`cannot listen on ${bindText(bind)}: ${listenProblem(cause)}`, {
      next: `salvor serve --bind ${bindText({ ...bind, port: 0 })}, which takes a free port`,
      cause,
    });
  }
}

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
