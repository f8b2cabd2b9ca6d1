import { Command } from "commander";
import { withExamples } from "../help.js";
import { mcpInspectCommand } from "./mcp-inspect.js";

/** `salvor mcp`: the Model Context Protocol. */
export function mcpCommand(): Command {
  const command = new Command("mcp")
    .description("Look at the tools of other MCP servers.")
    .enablePositionalOptions()
    .addCommand(mcpInspectCommand());
  return withExamples(command, [
    ["salvor mcp inspect servers.toml", "the tools of each server of a file, with their effects and why"],
  ]);
}
