import { Option, type Command } from "commander";
import { DEFAULT_DATA, withExamples, withStoreOptions } from "../help.js";
import {
  collecting,
  parseCount,
  parseOrigin,
  parsePort,
  parseSeconds,
  parseServerUrl,
  parseVariableName,
  type BindAddress,
} from "../option-parsers.js";
import { LOG_LEVELS } from "./serve.js";

export interface McpServeOptions {
  readonly tools?: string;
  readonly clientTools?: string;
  readonly clientToolsToken?: string;
  readonly http?: BindAddress;
  readonly control?: BindAddress;
  readonly data: string;
  /** The URL of a database; it may hold a password. */
  readonly store?: string;
  readonly storeEnv?: string;
  readonly toolConcurrency?: number;
  /** In seconds. */
  readonly toolTimeout?: number;
  readonly authToken?: string;
  readonly operatorToken?: string;
  readonly allowOrigin: readonly string[];
  readonly insecure?: true;
  readonly force?: true;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly logPayloads?: true;
}

const NOTES = `Every call is recorded in the data folder or database, in a run of its own, and a write is never performed twice for one request:
docs/mcp.md tells what a client that lost an answer does. Standard output carries the protocol and nothing else; logs are JSON
lines on standard error. Over HTTP the same rules of hosts, origins and tokens hold as for salvor serve, and the control plane
is served on the same port, for salvor list and salvor resolve; --control does the same beside standard input and output.`;

/** Makes a command the one that serves tools to MCP clients. */
export function mcpServeOn(command: Command): Command {
  command
    .description("Serve tools to MCP clients, and record every call.")
    .option("--tools <MODULE>", "an ES module that exports a ToolSet: the tools that are served")
    .addOption(
      new Option("--client-tools <URL>", "serve the tools of that salvor server instead, recorded there")
        .argParser(parseServerUrl)
        .conflicts(["data", "store", "storeEnv", "force", "http", "control"]),
    )
    .option(
      "--client-tools-token <VAR>",
      "environment variable that holds the client token of that server",
      parseVariableName,
    )
    .addOption(
      new Option("--http <[HOST:]PORT>", "serve over HTTP at /mcp, instead of standard input and output")
        .argParser(parsePort)
        .conflicts("control"),
    )
    .addOption(
      new Option("--control <[HOST:]PORT>", "also serve the control plane there").argParser(parsePort),
    )
    .option("--data <DIR>", "the folder that holds the logs; made when missing", DEFAULT_DATA);
  withStoreOptions(command, ["data", "force"])
    .option("--tool-concurrency <N>", "how many calls are performed at once (default 64)", parseCount)
    .option(
      "--tool-timeout <SECONDS>",
      "how long one may take that does not say so itself (default 300)",
      parseSeconds,
    )
    .option(
      "--auth-token <VAR>",
      "environment variable that holds the client token, over HTTP",
      parseVariableName,
    )
    .option("--operator-token <VAR>", "environment variable that holds the operator token", parseVariableName)
    .addOption(
      new Option("--allow-origin <URL>", "a web page's origin that may call this server; may be repeated")
        .default([], "none")
        .argParser(collecting(parseOrigin)),
    )
    .option("--insecure", "allow an address that others can reach without --auth-token")
    .option("--force", "take over a data folder that a server on another host may still use")
    .addOption(new Option("--log-level <LEVEL>", "how much to log").choices(LOG_LEVELS).default("info"))
    .option("--log-payloads", "log inputs and outputs too; they may hold secrets")
    .action(async (options: McpServeOptions) => {
      const { runMcpServe } = await import("../mcp-serve.js");
      process.exitCode = await runMcpServe(options);
    });
  return withExamples(
    command,
    [
      [
        "salvor mcp --tools dist/tools.js",
        "for a client that starts it and speaks over standard input and output",
      ],
      [
        "salvor mcp --tools dist/tools.js --data /var/lib/salvor --control 8080",
        "the same, and salvor list shows what it does meanwhile",
      ],
      ["salvor mcp --tools dist/tools.js --http 8080", "at http://127.0.0.1:8080/mcp"],
      ["salvor mcp inspect servers.toml", "the tools of each server of a file, with their effects and why"],
      [
        "salvor mcp --client-tools http://127.0.0.1:8080 --tools dist/tools.js",
        "tools that another server declares, performed here and recorded there",
      ],
    ],
    NOTES,
  );
}
