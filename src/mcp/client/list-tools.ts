import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../../contract/json.js";
import { jsonEqual } from "../../log/json-equal.js";
import type { Connection } from "./connection.js";
import { McpConnectError } from "./mcp-errors.js";

/** A tool as a server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly json: JsonObject;
}

/** What a server lists, as it stands there. */
export interface ListedTools {
  readonly tools: readonly ListedTool[];
  /** What is wrong with the listing as a whole; each names what was left out. */
  readonly problems: readonly string[];
}

const MOST_PAGES = 100;
const MOST_TOOLS = 2_000;
const LIST_TIMEOUT_MS = 30_000;

/**
 * Asks a server for all of its tools. A listing that never ends is cut; what is no tool, and a name that stands for several
 * tools, is left out.
 *
 * @throws {@link McpConnectError} when the server does not list its tools.
 */
export async function listTools(server: string, connection: Connection): Promise<ListedTools> {
  const problems: string[] = [];
  const tools: ListedTool[] = [];
  const cursors = new Set<JsonValue>();
  let cursor: JsonValue | undefined;
  const timeout = AbortSignal.timeout(LIST_TIMEOUT_MS);
  while (connection.hasTools) {
    const page = await onePage(server, connection, cursor, timeout);
    const listed = ownValue(page, "tools");
    if (!Array.isArray(listed))
      throw new McpConnectError(server, "lists its tools as something else than a list");
    for (const tool of listed as readonly JsonValue[]) {
      const name = isJsonObject(tool) ? ownValue(tool, "name") : undefined;
      if (isJsonObject(tool) && typeof name === "string") tools.push({ name, json: tool });
      else problems.push("an entry of its list has no name and was left out");
    }
    cursor = ownValue(page, "nextCursor");
    if (cursor === undefined || cursor === null || cursor === "") break;
    const isEndless = cursors.has(cursor) || cursors.size >= MOST_PAGES || tools.length >= MOST_TOOLS;
    if (isEndless) {
      problems.push(`its list does not end; what stands after ${tools.length} entries was left out`);
      break;
    }
    cursors.add(cursor);
  }
  return { tools: withoutDoubles(tools.slice(0, MOST_TOOLS), problems), problems: [...new Set(problems)] };
}

async function onePage(
  server: string,
  connection: Connection,
  cursor: JsonValue | undefined,
  signal: AbortSignal,
): Promise<JsonObject> {
  const answer = await connection
    .request({ method: "tools/list", params: cursor === undefined ? {} : { cursor }, signal })
    .catch((cause: unknown) => {
      throw new McpConnectError(server, "did not list its tools in time", { cause });
    });
  if (answer.kind === "result" && isJsonObject(answer.result)) return answer.result;
  if (answer.kind === "error")
    throw new McpConnectError(server, `does not list its tools: ${answer.message}`);
  const cause = answer.kind === "broken" ? answer.cause : undefined;
  const said = connection.remarks();
  throw new McpConnectError(server, `did not list its tools${said === "" ? "" : ` (${said})`}`, { cause });
}

/** A tool that is listed twice alike is one; a name under which several stand is none. */
function withoutDoubles(tools: readonly ListedTool[], problems: string[]): readonly ListedTool[] {
  const byName = new Map<string, ListedTool | undefined>();
  for (const tool of tools) {
    const known = byName.get(tool.name);
    if (!byName.has(tool.name)) byName.set(tool.name, tool);
    else if (known === undefined || !isSame(known.json, tool.json)) {
      byName.set(tool.name, undefined);
      const name = JSON.stringify(tool.name.slice(0, 100));
      problems.push(`several tools are called ${name}, and differ: none of them is offered`);
    }
  }
  return [...byName.values()].filter((tool) => tool !== undefined);
}

/** What is nested too deep to be compared is not the same. */
function isSame(one: JsonObject, other: JsonObject): boolean {
  try {
    return jsonEqual(one, other);
  } catch {
    return false;
  }
}
