import { Command } from "commander";
import { withExamples } from "../help.js";
import { parseVariableName } from "../option-parsers.js";

export interface McpInspectOptions {
  readonly json?: true;
  readonly bearerToken?: string;
  /** False when `--no-trust-annotations` is given. */
  readonly trustAnnotations: boolean;
}

/** `salvor mcp inspect`: what the tools of a server would be here. */
export function mcpInspectCommand(): Command {
  const command = new Command("inspect")
    .description("List the tools of an MCP server, with the effect that each would get and why.")
    .argument(
      "<COMMAND...>",
      "a program and its arguments, the URL of a server, or a file of servers (*.toml)",
    )
    .passThroughOptions()
    .option("--json", "print the report as JSON")
    .option("--bearer-token <VAR>", "environment variable that holds the token for a URL", parseVariableName)
    .option("--no-trust-annotations", "as if the server had said nothing about effects")
    .action(async (words: readonly string[], options: McpInspectOptions) => {
      const { runMcpInspect } = await import("../mcp-inspect.js");
      process.exitCode = await runMcpInspect(words, options);
    });
  return withExamples(
    command,
    [
      [
        "salvor mcp inspect npx -y @modelcontextprotocol/server-memory",
        "a program; it is started, asked and ended",
      ],
      ["salvor mcp inspect --bearer-token TOKEN https://example.com/mcp", "a server over HTTP"],
      ["salvor mcp inspect servers.toml", "every server of a file, with what the file says about its tools"],
    ],
    "Options of salvor's come before the program; what stands behind its name is the program's own.",
  );
}
