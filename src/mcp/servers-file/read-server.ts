import { isEffect } from "../../contract/effect.js";
import type { McpToolOptions, McpToolsOptions } from "../client/tool-options.js";
import { httpHeaders, httpUrl } from "../client/http-address.js";
import { reasonOf } from "../../contract/handler-errors.js";
import type { ServerEntry } from "./server-entry.js";
import type { TableReader } from "./table-reader.js";

const STDIO_KEYS = ["command", "args", "cwd", "env", "env_from"] as const;
const HTTP_KEYS = ["url", "headers", "headers_from", "bearer_token_from"] as const;
const TOOLS_KEYS = ["prefix", "trust_annotations", "timeout_seconds", "tools"] as const;
const TOOL_KEYS = ["effect", "idempotency_key", "errors_are_definite", "timeout_seconds"] as const;

const VARIABLES = 'write a table of texts, { NAME = "VARIABLE" }';

/** Reads the table of one server. Secrets come from the environment by the names of variables; one that is missing is reported. */
export function readServer(
  name: string,
  table: TableReader,
  env: NodeJS.ProcessEnv,
): ServerEntry | undefined {
  const isHttp = table.has("url");
  if (isHttp === table.has("command")) {
    const problem = isHttp ? "has both a command and a url" : "has neither a command nor a url";
    table.report("", problem, 'write command = "..." for a program, or url = "https://..." for a server');
    return undefined;
  }
  table.allow([...(isHttp ? HTTP_KEYS : STDIO_KEYS), ...TOOLS_KEYS]);
  return isHttp ? readHttp(name, table, env) : readStdio(name, table, env);
}

function readStdio(name: string, table: TableReader, env: NodeJS.ProcessEnv): ServerEntry | undefined {
  const command = table.text("command", 'write the program to start, command = "npx"');
  const args = table.texts("args", 'write a list of texts, args = ["-y", "some-package"]');
  const cwd = table.text("cwd", "write the folder that it runs in");
  const variables = { ...table.map("env", VARIABLES), ...secrets("env_from", table, env) };
  const options = readTools(table);
  if (command === undefined) return undefined;
  return { kind: "stdio", name, command, args, cwd, env: variables, ...options };
}

function readHttp(name: string, table: TableReader, env: NodeJS.ProcessEnv): ServerEntry | undefined {
  const url = table.text("url", 'write url = "https://..."');
  const headers = { ...table.map("headers", VARIABLES), ...secrets("headers_from", table, env) };
  const variable = table.text("bearer_token_from", "write the name of an environment variable");
  const bearerToken = variable === undefined ? undefined : secret("bearer_token_from", variable, table, env);
  const options = readTools(table);
  if (url === undefined) return undefined;
  const entry = { kind: "http", name, url, headers, bearerToken, ...options } as const;
  try {
    httpUrl(url);
  } catch (error) {
    table.report("url", `is not accepted: ${reasonOf(error)}`, 'write url = "https://..."');
  }
  try {
    httpHeaders(entry);
  } catch {
    // The message would hold the value, which may be a secret.
    table.report("", "has a header or a token that no HTTP header can be", "correct the name or the value");
  }
  return entry;
}

function readTools(table: TableReader): McpToolsOptions {
  const prefix = table.text("prefix", 'write prefix = "files_"');
  if (prefix !== undefined && !/^[a-zA-Z0-9_-]{1,40}$/.test(prefix)) {
    table.report("prefix", "cannot begin a tool's name", "use letters, digits, _ and -, 40 at most");
  }
  const tools = table.tables("tools", "write a table for each tool, [servers.NAME.tools.TOOL]");
  return {
    prefix,
    trustAnnotations: table.flag("trust_annotations"),
    timeoutMs: table.seconds("timeout_seconds"),
    tools: Object.fromEntries(tools.map(([tool, reader]) => [tool, readTool(reader)])),
  };
}

function readTool(table: TableReader): McpToolOptions {
  table.allow(TOOL_KEYS);
  const advice = 'write "read", "idempotent" or "write"';
  const effect = table.text("effect", advice);
  if (effect !== undefined && !isEffect(effect))
    table.report("effect", `is ${JSON.stringify(effect)}`, advice);
  const path = table.text("idempotency_key", 'write a dotted path, idempotency_key = "order.id"');
  if (path?.split(".").includes("") === true) {
    table.report("idempotency_key", `is ${JSON.stringify(path)}`, 'write it like "order.id"');
  }
  return {
    effect: isEffect(effect) ? effect : undefined,
    idempotencyKey: path,
    errorsAreDefinite: table.flag("errors_are_definite"),
    timeoutMs: table.seconds("timeout_seconds"),
  };
}

function secrets(key: string, table: TableReader, env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const named = Object.entries(table.map(key, VARIABLES) ?? {});
  return Object.fromEntries(
    named.flatMap(([name, variable]) => {
      const value = secret(key, variable, table, env);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** The value of a variable; without it a server would be started with less than it was meant to have. */
function secret(
  key: string,
  variable: string,
  table: TableReader,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const value = Object.hasOwn(env, variable) ? env[variable] : undefined;
  if (value !== undefined && value !== "") return value;
  const state = value === undefined ? "not set" : "empty";
  table.report(
    key,
    `names the environment variable ${variable}, which is ${state}`,
    `export ${variable}=...`,
  );
  return undefined;
}
