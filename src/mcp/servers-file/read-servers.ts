import { isJsonObject, type JsonObject } from "../../contract/json.js";
import { problemsOf, type Finding } from "../../declarations/finding.js";
import { renderProblem, type DeclarationProblem } from "../../declarations/problem.js";
import { readDeclaration } from "../../declarations/read-declaration.js";
import { FileRefused, readText } from "../../declarations/read-text.js";
import { readServer } from "./read-server.js";
import type { ServerEntry } from "./server-entry.js";
import { TableReader } from "./table-reader.js";

/** A file of MCP servers that is refused, with every problem of it. */
export class ServersFileError extends Error {
  override readonly name = "ServersFileError";
  readonly code = "mcp_servers_refused";
  constructor(
    readonly problems: readonly DeclarationProblem[],
    options?: ErrorOptions,
  ) {
    super(problems.map(renderProblem).join("\n"), options);
  }
}

/**
 * Reads the file that says which MCP servers' tools are offered (docs/mcp.md).
 *
 * @param env where secrets are looked up.
 * @throws {@link ServersFileError} with every problem: an unknown key, a value of the wrong kind, a variable that is not set.
 */
export function readServersFile(file: string, env: NodeJS.ProcessEnv = process.env): readonly ServerEntry[] {
  try {
    return parseServers(readText(file), file, env);
  } catch (cause) {
    if (!(cause instanceof FileRefused)) throw cause;
    throw new ServersFileError([{ file, key: "", what: cause.problem, advice: cause.advice }], { cause });
  }
}

/** As {@link readServersFile}, of a text. */
export function parseServers(text: string, file: string, env: NodeJS.ProcessEnv): readonly ServerEntry[] {
  const { raw = {}, origin, findings: known } = readDeclaration(text, file);
  const findings: Finding[] = [...known];
  const entries = known.length > 0 ? [] : readAll(raw, findings, env);
  if (findings.length > 0) throw new ServersFileError(problemsOf(findings, origin));
  return entries;
}

function readAll(raw: JsonObject, findings: Finding[], env: NodeJS.ProcessEnv): readonly ServerEntry[] {
  const top = new TableReader(raw, [], findings);
  top.allow(["servers"]);
  const advice = "write a table for each server, [servers.NAME]";
  const servers = top.tables("servers", advice);
  if (!isJsonObject(raw["servers"] ?? null) || servers.length === 0) {
    if (findings.length === 0) findings.push({ path: [], what: "names no server", advice });
  }
  return servers.flatMap(([name, table]) => readServer(name, table, env) ?? []);
}
