import { EFFECTS, isEffect } from "../../contract/effect.js";
import type { DynTool } from "../../contract/dyn-tool.js";
import { keyList } from "../../contract/key-list.js";
import { jsonEqual } from "../../log/json-equal.js";
import type { CallRoute } from "./call-server.js";
import type { ListedTool, ListedTools } from "./list-tools.js";
import { McpToolsError } from "./mcp-errors.js";
import { mcpTool } from "./mcp-tool.js";
import { isRefused, readTool, type McpToolDefinition, type RefusedTool } from "./tool-definition.js";
import type { McpToolsOptions } from "./tool-options.js";

export interface OfferedTool {
  readonly listed: ListedTool;
  readonly definition: McpToolDefinition;
  readonly tool: DynTool;
}

/** What a server offers, as it was read last. */
export interface Offer {
  /** By the names under which they are offered, sorted. */
  readonly tools: ReadonlyMap<string, OfferedTool>;
  readonly refused: readonly RefusedTool[];
  readonly problems: readonly string[];
}

/** Makes tools of what a server lists. One that has not changed stays the tool that it was. */
export async function offerOf(
  { tools: listed, problems }: ListedTools,
  options: McpToolsOptions,
  route: CallRoute,
  before?: Offer,
): Promise<Offer> {
  const known = new Map(
    [...(before?.tools.values() ?? [])].map((each) => [each.definition.serverName, each]),
  );
  const read = await Promise.all(
    listed.map(async (each): Promise<OfferedTool | RefusedTool> => {
      const same = known.get(each.name);
      if (same !== undefined && jsonEqual(same.listed.json, each.json)) return same;
      const definition = await readTool(each, options);
      if (isRefused(definition)) return definition;
      return { listed: each, definition, tool: mcpTool(definition, route) };
    }),
  );
  const offered = read.filter((each): each is OfferedTool => "tool" in each);
  return {
    tools: new Map(
      offered.map((each) => [each.tool.name, each] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    refused: read.filter((each): each is RefusedTool => !("tool" in each)),
    problems,
  };
}

/**
 * Checks that everything that the operator says is about a tool that there is: a misspelled name would leave the tool that was
 * meant without its guard.
 *
 * @throws {@link McpToolsError} naming every tool that there is not, and what there is.
 */
export function checkNames(server: string, { tools: said }: McpToolsOptions, listed: ListedTools): void {
  const names = listed.tools.map(({ name }) => name);
  const unknown = Object.keys(said ?? {}).filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  const has = names.length === 0 ? "no tools" : keyList(names.sort());
  throw new McpToolsError(
    server,
    unknown.map(
      (name) => `it has no tool ${JSON.stringify(name)}, of which something is said; it has ${has}`,
    ),
  );
}

/** @throws TypeError when an effect or a path is none, before anything is connected to. */
export function checkOptions({ tools = {} }: McpToolsOptions): void {
  for (const [name, { effect, idempotencyKey }] of Object.entries(tools)) {
    if (effect !== undefined && !isEffect(effect)) {
      throw new TypeError(`effect of ${name} is ${String(effect)}: write ${EFFECTS.join(", ")}`);
    }
    if (idempotencyKey?.split(".").includes("") !== true) continue;
    throw new TypeError(
      `idempotencyKey of ${name} is ${JSON.stringify(idempotencyKey)}: write it like "order.id"`,
    );
  }
}
