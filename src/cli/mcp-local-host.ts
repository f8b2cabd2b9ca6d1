import { RecordedTools } from "../mcp/server/recorded-tools.js";
import { WatchedTools } from "../mcp/server/watched-tools.js";
import { AppState, type RunningServer } from "../server/index.js";
import { CliError, EXIT } from "./cli-error.js";
import type { McpServeOptions } from "./commands/mcp-serve.js";
import { listen } from "./listen.js";
import { loadTools } from "./load-tools.js";
import { mcpMount } from "./mcp-mount.js";
import type { McpHost } from "./mcp-serve.js";
import { decideWhere } from "./mcp-words.js";
import { NO_CLIENT_TOOLS } from "./no-client-tools.js";
import { openStore } from "./open-store.js";
import type { BindAddress } from "./option-parsers.js";
import { sayRecovered } from "./recovered-lines.js";
import { serveSettings } from "./serve-settings.js";
import type { ServerLog } from "./server-log.js";

/**
 * The tools of a module, recorded in a store of this process's own.
 *
 * @throws {@link CliError} when it must not start.
 */
export async function localHost(
  options: McpServeOptions,
  log: ServerLog & { readonly timeoutMs: number },
): Promise<McpHost> {
  const { tools: module, toolConcurrency: concurrency } = options;
  if (module === undefined) {
    throw new CliError("there is nothing to serve: --tools names the module whose ToolSet is served", {
      next: "salvor mcp --tools dist/tools.js",
      exitCode: EXIT.usage,
    });
  }
  const address = options.http ?? options.control;
  const settings = await serveSettings({ ...options, bind: address ?? ANY_PORT });
  const { bind, ...tokens } = settings;
  const tools = await loadTools(module, NO_CLIENT_TOOLS);
  const { logger, timeoutMs } = log;
  const { store, place } = await openStore(options, {
    onRecovered: sayRecovered(log),
    onNews: (news) => {
      logger.warn({ store: news });
    },
  });
  const watched = new WatchedTools(tools);
  const state = new AppState({
    ...tokens,
    store,
    allowOrigins: options.allowOrigin,
    insecure: options.insecure === true,
    logger,
    logPayloads: options.logPayloads === true,
    hosting: { concurrency, timeoutMs },
  }).withTools(watched);
  const { recorder, hosted } = state;
  const served = new RecordedTools({ recorder, hosted, tools, watched, timeoutMs });
  let server: RunningServer | undefined;
  const where = (): string => decideWhere(options, server?.url);
  return {
    served,
    place,
    where,
    async listen(isHttp) {
      const advice = {
        get where() {
          return where();
        },
      };
      const mounted = isHttp ? await mcpMount(state, served, advice) : undefined;
      if (address !== undefined)
        server = await listen(
          state,
          { ...bind, ...(mounted && { mounted }) },
          "name another port; 0 takes any free one",
        );
      return server?.url;
    },
    finish: (graceMs) => hosted.stop(graceMs),
    async close() {
      if (server !== undefined) return server.close();
      await recorder.idle();
      await store.close();
    },
  };
}

const ANY_PORT: BindAddress = { host: "127.0.0.1", port: 0 };
