import { Command, Option } from "commander";
import { repeatable, withExamples } from "../help.js";
import {
  collecting,
  parseBind,
  parseCount,
  parseDays,
  parseOrigin,
  parseSeconds,
  parseVariableName,
  parseWebhookUrl,
  type BindAddress,
} from "../option-parsers.js";

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

export interface ServeOptions {
  readonly bind: BindAddress;
  readonly data: string;
  /** The URL of a database; it may hold a password. */
  readonly store?: string;
  readonly storeEnv?: string;
  /** In days. */
  readonly retain?: number;
  readonly clientTool: readonly string[];
  readonly tools?: string;
  /** A file of MCP servers. */
  readonly mcp?: string;
  readonly toolConcurrency?: number;
  /** In seconds. */
  readonly toolTimeout?: number;
  readonly authToken?: string;
  readonly operatorToken?: string;
  readonly notifyWebhook?: string;
  readonly notifySecret?: string;
  readonly allowOrigin: readonly string[];
  readonly insecure?: true;
  readonly force?: true;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly logPayloads?: true;
}

const NOTES = `Everything is checked before the port is bound: declarations, tools, tokens, address and store.
Logs are JSON lines on standard error. SIGTERM or Ctrl-C stops the server when what is being recorded is recorded; a second
signal stops it at once. SALVOR_CLIENT_LEASE_TTL_SECS (default 60) says how long a silent driver counts as attached.
ANTHROPIC_API_KEY lets the server call models for its runs; SALVOR_MODEL_BASE_URL says where, if not at https://api.anthropic.com.`;

/** `salvor serve`: the control plane. */
export function serveCommand(): Command {
  const command = new Command("serve")
    .description("Serve the control plane: record calls, refuse what may not be, keep the log.")
    .addOption(
      new Option("--bind <HOST:PORT>", "where to listen; port 0 takes any free one")
        .default(parseBind("127.0.0.1:8080"), "127.0.0.1:8080")
        .argParser(parseBind),
    )
    .option("--data <DIR>", "the folder that holds the logs; made when missing", "./salvor-data")
    .addOption(
      new Option(
        "--store <URL>",
        "a PostgreSQL database that holds the logs, shared by any number of servers",
      ).conflicts(["data", "force", "storeEnv"]),
    )
    .addOption(
      new Option("--store-env <VAR>", "environment variable that holds that URL, which may hold a password")
        .conflicts(["data", "force", "store"])
        .argParser(parseVariableName),
    )
    .option("--retain <DAYS>", "erase runs so many days after they have ended; none unless given", parseDays)
    .addOption(
      new Option("--client-tool <FILE|DIR>", "a declaration, or a folder of *.toml; may be repeated")
        .default([], "none")
        .argParser(repeatable),
    )
    .option("--tools <MODULE>", "an ES module that exports a ToolSet: tools that this server performs itself")
    .option("--mcp <FILE>", "a file of MCP servers, whose tools this server performs too (docs/mcp.md)")
    .option("--tool-concurrency <N>", "how many calls of them it performs at once (default 64)", parseCount)
    .option(
      "--tool-timeout <SECONDS>",
      "how long one may take that does not say so itself (default 300)",
      parseSeconds,
    )
    .option("--auth-token <VAR>", "environment variable that holds the client token", parseVariableName)
    .option("--operator-token <VAR>", "environment variable that holds the operator token", parseVariableName)
    .addOption(
      new Option("--allow-origin <URL>", "a web page's origin that may call this server; may be repeated")
        .default([], "none")
        .argParser(collecting(parseOrigin)),
    )
    .option(
      "--notify-webhook <URL>",
      "post to this address when a run starts to wait for a person; needs --notify-secret",
      parseWebhookUrl,
    )
    .option(
      "--notify-secret <VAR>",
      "environment variable that holds the secret that those posts are signed with",
      parseVariableName,
    )
    .option("--insecure", "allow an address that others can reach without --auth-token")
    .option("--force", "take over a data folder that a server on another host may still use")
    .addOption(new Option("--log-level <LEVEL>", "how much to log").choices(LOG_LEVELS).default("info"))
    .option("--log-payloads", "log inputs and outputs too; they may hold secrets")
    .action(async (options: ServeOptions) => {
      const { runServe } = await import("../serve.js");
      process.exitCode = await runServe(options);
    });
  return withExamples(
    command,
    [
      ["salvor serve --client-tool refund-card.toml", "one declared tool, on this machine only"],
      [
        "salvor serve --client-tool tools/ --auth-token CLIENT_TOKEN --operator-token OPERATOR_TOKEN",
        "every *.toml of a folder; clients may not settle what only a person may",
      ],
      ["salvor serve --tools dist/tools.js", "tools that the server performs itself, in its own process"],
      ["salvor serve --mcp servers.toml", "the tools of the MCP servers that the file names"],
      [
        "salvor serve --bind 0.0.0.0:8080 --data /var/lib/salvor --auth-token CLIENT_TOKEN",
        "reachable from other machines",
      ],
      [
        "salvor serve --store-env SALVOR_STORE --client-tool tools/",
        "logs in PostgreSQL, for as many servers as you like",
      ],
    ],
    NOTES,
  );
}
