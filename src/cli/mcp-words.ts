import type { Logger } from "pino";
import type { ToolDescriptor } from "../contract/tool-set.js";
import { ModelToolError } from "../contract/models/model-tool.js";
import { toolList } from "../mcp/server/tool-list.js";
import { CliError } from "./cli-error.js";
import type { McpServeOptions } from "./commands/mcp-serve.js";
import { MCP_PATH } from "./mcp-mount.js";
import { shellWord } from "./shell-word.js";
import { out } from "./terminal.js";

/** What a person types to decide about a call, given where this server's runs are. */
export function decideWhere({ data, store, storeEnv }: McpServeOptions, url: string | undefined): string {
  if (url !== undefined) return `with --url ${url}`;
  const place =
    storeEnv !== undefined
      ? `--store-env ${storeEnv}`
      : store !== undefined
        ? "--store postgres://..."
        : `--data ${shellWord(data)}`;
  const first = store === undefined && storeEnv === undefined ? "once this server has stopped, " : "";
  return `${first}salvor serve ${place} is what answers that, or this server itself when it is started with --control PORT`;
}

/**
 * Logs what MCP clients are not told of the tools.
 *
 * @throws {@link CliError} for a tool that no MCP client could call.
 */
export function sayLosses(descriptors: readonly ToolDescriptor[], logger: Logger): void {
  try {
    for (const { tool, path, message } of toolList(descriptors).losses) {
      logger.warn({ tool, path }, message);
    }
  } catch (cause) {
    if (!(cause instanceof ModelToolError)) throw cause;
    throw new CliError(cause.message, { next: '@Tool("write", { name: "another_name" })', cause });
  }
}

/** Says where MCP clients find the tools. The first line is for scripts too. */
export function announceHttp(
  url: string,
  descriptors: readonly ToolDescriptor[],
  options: McpServeOptions,
  place: string,
): void {
  const width = Math.max(0, ...descriptors.map(({ name }) => name.length));
  const warning =
    options.operatorToken === undefined
      ? [
          `${out.paint("yellow", "Warning:")} clients are trusted as operators: each may settle, resume and abandon. ` +
            "--operator-token VAR ends that.",
        ]
      : [];
  out.line(
    [
      `salvor mcp listening on ${url}${MCP_PATH}`,
      "",
      ...descriptors.map(({ name, effect }) => `  ${out.paint("bold", name.padEnd(width))}  ${effect}`),
      `Logs live in ${place}`,
      ...warning,
    ].join("\n"),
  );
}
