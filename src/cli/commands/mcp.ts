import { Command } from "commander";
import { mcpInspectCommand } from "./mcp-inspect.js";

/** `salvor mcp`: the Model Context Protocol. */
export function mcpCommand(): Command {
  return new Command("mcp")
    .description("Tools of other MCP servers.")
    .enablePositionalOptions()
    .addCommand(mcpInspectCommand());
}
