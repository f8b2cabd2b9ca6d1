import type { ToolSet } from "../contract/tool-set.js";
import { RecordedTools } from "../mcp/server/recorded-tools.js";
import { serveStdio } from "../mcp/server/serve-stdio.js";
import type { Write } from "../mcp/server/stdio-transport.js";
import { WatchedTools } from "../mcp/server/watched-tools.js";
import { errorFacts } from "../server/error-facts.js";
import {
  AppState,
  startServer,
  type ClientTools,
  type Mounted,
  type RunningServer,
} from "../server/index.js";
import { bindText } from "./bind.js";
import { CliError, EXIT, type ExitCode } from "./cli-error.js";
import type { McpServeOptions } from "./commands/mcp-serve.js";
import { listenProblem } from "./listen-problem.js";
import { loadTools } from "./load-tools.js";
import { mcpMount } from "./mcp-mount.js";
import { announceHttp, decideWhere, sayLosses } from "./mcp-words.js";
import { openStore } from "./open-store.js";
import type { BindAddress } from "./option-parsers.js";
import { exitProcess, guardForeignCode, guardRejections } from "./process-guard.js";
import { takeOutput } from "./protocol-output.js";
import { sayRecovered } from "./recovered-lines.js";
import { reportError } from "./report-error.js";
import { serveSettings } from "./serve-settings.js";
import { serverLog, type ServerLog } from "./server-log.js";
import { SHUTDOWN_DEADLINE_MS, whenAskedToStop, within } from "./shutdown.js";

/** How long calls may go on when the client of standard input has gone; it kills what does not end in a few seconds. */
const LAST_CALLS_MS = 1_500;

/** How long a tool may take that does not say so itself, in seconds, unless something else is asked for. */
const TOOL_TIMEOUT_S = 300;

/** No tool here is one that a client performs. */
const NO_CLIENT_TOOLS: ClientTools = { get: () => undefined, published: () => [] };

/** Serves tools to MCP clients until the client goes, or a signal asks it to stop. */
export async function runMcpServe(options: McpServeOptions): Promise<ExitCode> {
  // Before anything of the tools is loaded, which may print.
  const write = options.http === undefined ? takeOutput() : undefined;
  const log = serverLog(options);
  const told = options.logPayloads === true;
  guardRejections(log.logger, told);
  guardForeignCode(log.logger, told);
  try {
    const asked = whenAskedToStop();
    const host = await hostOf(options, log);
    const stop = await listen(host, options, log, write);
    const why = await Promise.race([asked, stop.gone]);
    log.logger.info({ why }, "stopping");
    const done = await within(SHUTDOWN_DEADLINE_MS, stop.stop()).catch((error: unknown) => {
      log.logger.error({ err: errorFacts(error, true) }, "the store could not be closed");
      return false;
    });
    log.flush();
    return exitProcess(done ? EXIT.ok : EXIT.failed);
  } catch (error) {
    // What a module of tools has opened must not keep a server alive that does not start.
    log.flush();
    return exitProcess(reportError(error));
  }
}

/** What serves, and where its runs are. */
interface Host {
  readonly state: AppState;
  readonly served: RecordedTools;
  readonly place: string;
  readonly bind: BindAddress | undefined;
}

async function hostOf(options: McpServeOptions, log: ServerLog): Promise<Host> {
  const { tools: module, toolConcurrency, toolTimeout = TOOL_TIMEOUT_S } = options;
  if (module === undefined) {
    throw new CliError("there is nothing to serve: --tools names the module whose ToolSet is served", {
      next: "salvor mcp --tools dist/tools.js",
      exitCode: EXIT.usage,
    });
  }
  const address = options.http ?? options.control;
  const { bind, ...tokens } = await serveSettings({
    ...options,
    bind: address ?? { host: "127.0.0.1", port: 0 },
  });
  const tools: ToolSet = await loadTools(module, NO_CLIENT_TOOLS);
  sayLosses(tools.descriptors(), log.logger);
  const { store, place } = await openStore(options, {
    onRecovered: sayRecovered(log),
    onNews: (news) => {
      log.logger.warn({ store: news });
    },
  });
  const watched = new WatchedTools(tools);
  const timeoutMs = toolTimeout * 1000;
  const state = new AppState({
    ...tokens,
    store,
    allowOrigins: options.allowOrigin,
    insecure: options.insecure === true,
    logger: log.logger,
    logPayloads: options.logPayloads === true,
    hosting: { concurrency: toolConcurrency, timeoutMs },
  }).withTools(watched);
  const { recorder, hosted } = state;
  const served = new RecordedTools({ recorder, hosted, tools, watched, timeoutMs });
  return { state, served, place, bind: address && bind };
}

/** A server that runs: how to stop it, and what resolves when its only client has gone. */
interface Running {
  readonly gone: Promise<string>;
  stop(): Promise<void>;
}

async function listen(host: Host, options: McpServeOptions, log: ServerLog, write?: Write): Promise<Running> {
  const { served, state, bind } = host;
  // Where it listens is known when it does.
  const at: { url?: string } = {};
  const advice = {
    get where() {
      return decideWhere(options, at.url);
    },
  };
  const mounted = write === undefined ? await mcpMount(state, served, advice) : undefined;
  const server = bind && (await bound(state, bind, mounted));
  if (server !== undefined) at.url = server.url;
  if (write === undefined) {
    announceHttp(server?.url ?? "", served.descriptors(), options, host.place);
    const stop = async (): Promise<void> => {
      await server?.close();
    };
    return { gone: new Promise(() => undefined), stop };
  }
  const onError = (error: unknown): void => {
    log.logger.warn({ err: errorFacts(error, state.logPayloads) }, "an MCP message went wrong");
  };
  const connection = await serveStdio(served, { input: process.stdin, write, advice, onError });
  const names = served.descriptors().map(({ name }) => name);
  log.logger.info(
    { tools: names, logs: host.place, control: at.url },
    "salvor mcp speaks over standard input and output",
  );
  return {
    gone: connection.closed.then(() => "the client has closed the connection"),
    async stop() {
      await state.hosted.stop(LAST_CALLS_MS);
      await connection.close();
      await served.idle();
      await (server?.close() ?? closeStore(state));
    },
  };
}

async function closeStore({ recorder, store }: AppState): Promise<void> {
  await recorder.idle();
  await store.close();
}

/** @throws {@link CliError} when the address cannot be bound; the store is closed by then. */
async function bound(
  state: AppState,
  bind: BindAddress,
  mounted: Mounted | undefined,
): Promise<RunningServer> {
  try {
    return await startServer(state, { ...bind, ...(mounted && { mounted }) });
  } catch (cause) {
    await state.store.close();
    throw new CliError(`cannot listen on ${bindText(bind)}: ${listenProblem(cause)}`, {
      next: `name another port; 0 takes any free one`,
      cause,
    });
  }
}
