import { serveStdio } from "../mcp/server/serve-stdio.js";
import type { ServedTools } from "../mcp/server/served-tools.js";
import type { Write } from "../mcp/server/stdio-transport.js";
import { errorFacts } from "../server/error-facts.js";
import { EXIT, type ExitCode } from "./cli-error.js";
import { closedInTime } from "./closed-in-time.js";
import type { McpServeOptions } from "./commands/mcp-serve.js";
import { localHost } from "./mcp-local-host.js";
import { announceHttp, sayLosses } from "./mcp-words.js";
import { exitProcess } from "./exit-process.js";
import { guardForeignCode, guardRejections } from "./process-guard.js";
import { takeOutput } from "./protocol-output.js";
import { reportError } from "./report-error.js";
import { serverLog, type ServerLog } from "./server-log.js";
import { whenAskedToStop } from "./shutdown.js";

/** How long calls may go on when the client of standard input has gone; it kills what does not end in a few seconds. */
const LAST_CALLS_MS = 1_500;

/** How long a tool may take that does not say so itself, in seconds, unless something else is asked for. */
const TOOL_TIMEOUT_S = 300;

/** What serves tools, wherever their calls are recorded. */
export interface McpHost {
  readonly served: ServedTools;
  /** Where the calls are recorded, in words. */
  readonly place: string;
  /** What a person types to reach what decides about them. */
  readonly where: () => string;
  /** Listens where that was asked for, over HTTP too unless standard output carries the protocol; answers where. */
  listen(isHttp: boolean): Promise<string | undefined>;
  /** Lets no call begin any more, and waits for those that are being performed, or gives them up. */
  finish(graceMs: number): Promise<void>;
  /** Lets go of everything. */
  close(): Promise<void>;
}

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
    const timeoutMs = (options.toolTimeout ?? TOOL_TIMEOUT_S) * 1000;
    const host = await hostOf(options, { ...log, timeoutMs });
    const running = await run(host, options, log, write);
    const why = await Promise.race([asked, running.gone]);
    log.logger.info({ why }, "stopping");
    const done = await closedInTime(running.stop(), log);
    log.flush();
    return exitProcess(done ? EXIT.ok : EXIT.failed);
  } catch (error) {
    // What a module of tools has opened must not keep a server alive that does not start.
    log.flush();
    return exitProcess(reportError(error));
  }
}

async function hostOf(
  options: McpServeOptions,
  how: ServerLog & { readonly timeoutMs: number },
): Promise<McpHost> {
  if (options.clientTools === undefined) return localHost(options, how);
  // What speaks to another server is loaded when there is one.
  const { remoteHost } = await import("./mcp-remote-host.js");
  return remoteHost(options.clientTools, options, how);
}

/** A server that runs: how to stop it, and what resolves when its only client has gone. */
interface Running {
  readonly gone: Promise<string>;
  stop(): Promise<void>;
}

async function run(host: McpHost, options: McpServeOptions, log: ServerLog, write?: Write): Promise<Running> {
  const { served } = host;
  const descriptors = served.descriptors();
  sayLosses(descriptors, log.logger);
  const url = await host.listen(write === undefined);
  if (write === undefined) {
    announceHttp(url ?? "", descriptors, options, host.place);
    return { gone: new Promise(() => undefined), stop: () => host.close() };
  }
  const onError = (error: unknown): void => {
    log.logger.warn({ err: errorFacts(error, options.logPayloads === true) }, "an MCP message went wrong");
  };
  const { where } = host;
  const connection = await serveStdio(served, {
    input: process.stdin,
    write,
    onError,
    advice: {
      get where() {
        return where();
      },
    },
  });
  const tools = descriptors.map(({ name }) => name);
  log.logger.info(
    { tools, logs: host.place, control: url },
    "salvor mcp speaks over standard input and output",
  );
  return {
    gone: connection.closed.then(() => "the client has closed the connection"),
    async stop() {
      await host.finish(LAST_CALLS_MS);
      await connection.close();
      await served.idle();
      await host.close();
    },
  };
}
