// Modules, not the public doors beside them: a start loads what a server needs, and nothing else.
import type { ClientToolRegistry } from "../declarations/client-tool-registry.js";
import { loadDeclarations } from "../declarations/load-declarations.js";
import { DeclarationError, renderProblem } from "../declarations/problem.js";
import type { ToolSet } from "../contract/tool-set.js";
import type { EventStore } from "../store/event-store.js";
import { keepFor } from "../store/retention.js";
import { errorFacts } from "../server/error-facts.js";
import type { Webhook } from "../server/notify/webhook.js";
import { AppState, type AppOptions } from "../server/index.js";
import { bindText } from "./bind.js";
import { CliError, EXIT, type ExitCode } from "./cli-error.js";
import type { ServeOptions } from "./commands/serve.js";
import { closedInTime } from "./closed-in-time.js";
import { listen } from "./listen.js";
import { openStore } from "./open-store.js";
import { modelExecutorOf } from "./model-settings.js";
import { printable } from "./printable.js";
import { exitProcess } from "./exit-process.js";
import { endUncaught, guardForeignCode, guardRejections } from "./process-guard.js";
import { sayRecovered } from "./recovered-lines.js";
import { reportError } from "./report-error.js";
import { serveSettings } from "./serve-settings.js";
import { announce } from "./serve-words.js";
import { serverLog, type ServerLog } from "./server-log.js";
import { shellWord } from "./shell-word.js";
import { whenAskedToStop } from "./shutdown.js";
import { out } from "./terminal.js";

/**
 * Serves until a signal asks it to stop. Everything that can be judged is judged before the port is bound, and the store
 * is open by then.
 */
export async function runServe(options: ServeOptions): Promise<ExitCode> {
  const { bind, webhook, ...settings } = await serveSettings(options);
  const executor = modelExecutorOf();
  const declared = loadDeclared(options.clientTool);
  const asked = whenAskedToStop();
  const log = serverLog(options);
  // Nobody can say whether it was a tool's code that threw: its text may be what the tool was called with.
  const isForeign = options.tools !== undefined || options.mcp !== undefined;
  const told = !isForeign || options.logPayloads === true;
  guardRejections(log.logger, told);
  if (isForeign) guardForeignCode(log.logger, told);
  else endUncaught(log);
  let endTools: () => Promise<void> = () => Promise.resolve();
  try {
    const { tools: hosted, close: closeTools } = await toolsOf(options, declared, log);
    endTools = closeTools;
    const { store, place, passwordShown } = await openStore(options, {
      onRecovered: sayRecovered(log),
      onNews: (news) => {
        log.logger.warn({ store: news });
      },
    });
    const base = new AppState({
      ...settings,
      store,
      allowOrigins: options.allowOrigin,
      insecure: options.insecure === true,
      logger: log.logger,
      logPayloads: options.logPayloads === true,
      hosting: hostingOf(options),
    }).withClientTools(declared);
    const state = executor === undefined ? base : base.withModelExecutor(executor);
    const served = hosted === undefined ? state : state.withTools(hosted);
    const server = await listen(
      served,
      bind,
      `salvor serve --bind ${bindText({ ...bind, port: 0 })}, which takes a free port`,
    );
    const stopErasing = retaining(store, options, log);
    const stopTelling = await telling(served, webhook);
    const words = { ...options, place, passwordShown };
    announce(out, server.url, words, { declared: declared.published(), hosted: hosted?.descriptors() });
    const close = async (): Promise<void> => {
      // Both write to the store, which the server closes.
      await Promise.all([stopErasing(), stopTelling()]);
      await server.close();
      await endTools();
    };
    return await untilStopped(close, asked, log);
  } catch (error) {
    if (!isForeign) throw error;
    await endTools();
    // What a module of tools has opened must not keep a server alive that does not start.
    log.flush();
    return exitProcess(reportError(error));
  }
}

/** The tools that a server performs itself, and how to end what is behind them. */
interface HostedTools {
  readonly tools?: ToolSet;
  readonly close: () => Promise<void>;
}

/** What loads tools is loaded when there are any. */
async function toolsOf(
  options: ServeOptions,
  declared: ClientToolRegistry,
  log: ServerLog,
): Promise<HostedTools> {
  const tools = options.tools === undefined ? undefined : await moduleTools(options.tools, declared);
  if (options.mcp !== undefined) {
    const { connectMcpTools } = await import("./mcp-tools.js");
    return connectMcpTools(options.mcp, tools, declared, log.logger);
  }
  return { ...(tools !== undefined && { tools }), close: () => Promise.resolve() };
}

async function moduleTools(path: string, declared: ClientToolRegistry): Promise<ToolSet> {
  const { loadTools } = await import("./load-tools.js");
  return loadTools(path, declared);
}

async function untilStopped(
  close: () => Promise<void>,
  asked: Promise<NodeJS.Signals>,
  log: ServerLog,
): Promise<never> {
  const signal = await asked;
  log.logger.info({ signal }, "stopping");
  const done = await closedInTime(close(), log);
  log.logger.info(done ? "stopped" : "stopped before everything was finished");
  log.flush();
  // A connection or a timer that is left must not keep a stopped server alive.
  return exitProcess(done ? EXIT.ok : EXIT.failed);
}

function hostingOf({
  toolConcurrency: concurrency,
  toolTimeout,
}: ServeOptions): AppOptions["hosting"] & object {
  return { concurrency, timeoutMs: toolTimeout === undefined ? undefined : toolTimeout * 1000 };
}

/** @throws {@link CliError} with every problem of every file. */
function loadDeclared(paths: readonly string[]): ClientToolRegistry {
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

/** Erases what ended long ago, if that was asked for; answers the way to stop. */
function retaining(store: EventStore, { retain }: ServeOptions, { logger }: ServerLog): () => Promise<void> {
  if (retain === undefined) return () => Promise.resolve();
  return keepFor(store, {
    days: retain,
    onErased: (erased) => {
      logger.info({ erased }, "erased runs that ended long ago");
    },
    onProblem: (error) => {
      logger.error({ err: errorFacts(error, true) }, "runs that ended long ago could not be erased");
    },
  });
}

/** Tells of runs that wait, if that was asked for; answers the way to stop. */
async function telling(state: AppState, webhook: Webhook | undefined): Promise<() => Promise<void>> {
  if (webhook === undefined) return () => Promise.resolve();
  const { notifyOfWaits } = await import("../server/notify/wait-notifier.js");
  return notifyOfWaits(state, webhook);
}
