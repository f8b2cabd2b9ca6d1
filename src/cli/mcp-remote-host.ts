import type { Logger } from "pino";
import { refuseDrift, DriftError } from "../client/drift.js";
import { SalvorClient } from "../client/salvor-client.js";
import { SalvorError } from "../client/salvor-error.js";
import type { ToolSet } from "../contract/tool-set.js";
import { CliError, EXIT } from "./cli-error.js";
import type { McpServeOptions } from "./commands/mcp-serve.js";
import { loadTools } from "./load-tools.js";
import type { McpHost } from "./mcp-serve.js";
import { declaredTool, hostedTool, type RemoteTool } from "./mcp-remote-performers.js";
import { RemoteRuns } from "./mcp-remote-runs.js";
import { RemoteTools } from "./mcp-remote-tools.js";
import { NO_CLIENT_TOOLS } from "./no-client-tools.js";
import { readToken } from "./tokens.js";

/**
 * The tools of another salvor server: those that it performs itself, and those that it declares and a class of ours performs.
 *
 * @throws {@link CliError} when it cannot be asked, when a class is not what is declared there, or when nothing is left.
 */
export async function remoteHost(
  url: string,
  options: McpServeOptions,
  { logger, timeoutMs }: { readonly logger: Logger; readonly timeoutMs: number },
): Promise<McpHost> {
  const token = readToken("--client-tools-token", options.clientToolsToken);
  const client = new SalvorClient({ url, token });
  const asking = new SalvorClient({ url, token, retries: 2 });
  const offered = await offeredBy({ url, client, asking }, options.tools, logger);
  const served = new RemoteTools(new RemoteRuns(client), offered, timeoutMs);
  return {
    served,
    place: url,
    where: () => `with --url ${url}`,
    listen: () => Promise.resolve(undefined),
    finish: (graceMs) => served.stop(graceMs),
    close: () => Promise.resolve(),
  };
}

async function offeredBy(
  {
    url,
    client,
    asking,
  }: { readonly url: string; readonly client: SalvorClient; readonly asking: SalvorClient },
  module: string | undefined,
  logger: Logger,
): Promise<readonly RemoteTool[]> {
  const classes = module === undefined ? undefined : await loadTools(module, NO_CLIENT_TOOLS);
  const [declared, hosted] = await askServer(url, asking);
  try {
    refuseDrift(classes?.descriptors() ?? [], declared);
  } catch (cause) {
    if (!(cause instanceof DriftError)) throw cause;
    throw new CliError(`the tools of ${module ?? ""} are not those that ${url} declares:\n${cause.message}`, {
      next: "salvor declare, which writes the declaration of a class, and hand it to that server",
      cause,
    });
  }
  const performed = declared.flatMap((declaration): RemoteTool[] => {
    const tool = classes?.get(declaration.name);
    if (tool !== undefined) return [declaredTool(client, tool, declaration)];
    logger.warn(
      { tool: declaration.name },
      "declared there, and no class here performs it: it is not offered",
    );
    return [];
  });
  const offered = [...performed, ...hosted.map((each) => hostedTool(client, each))];
  if (offered.length === 0) throw nothingToServe(url, declared.length, classes);
  return offered;
}

/** What a server has. One that is not there is waited for about a second: whoever starts this waits too. */
async function askServer(url: string, client: SalvorClient) {
  try {
    return await Promise.all([client.clientTools(), client.hostedTools()]);
  } catch (cause) {
    if (!(cause instanceof SalvorError)) throw cause;
    throw new CliError(`${url} does not say which tools it has: ${cause.message}`, {
      next: `curl ${url}/v1/capabilities, which a salvor server answers; --client-tools-token VAR names its client token`,
      cause,
    });
  }
}

function nothingToServe(url: string, declared: number, classes: ToolSet | undefined): CliError {
  const what = declared === 0 ? "no tools" : `${declared} tools for its clients to perform`;
  return new CliError(`there is nothing to serve: ${url} has ${what}`, {
    next:
      declared > 0 && classes === undefined
        ? `salvor mcp --client-tools ${url} --tools MODULE, whose classes perform them`
        : "salvor serve --client-tool FILE, or --tools MODULE, is what gives a server tools",
    exitCode: EXIT.failed,
  });
}
