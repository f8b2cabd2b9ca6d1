import { Command } from "commander";
import { mcpInspectCommand } from "./mcp-inspect.js";
import { mcpServeOn } from "./mcp-serve.js";

/** `salvor mcp`: the Model Context Protocol. By itself it serves tools; its sub-commands look at other servers. */
export function mcpCommand(): Command {
  const command = new Command("mcp").enablePositionalOptions().addCommand(mcpInspectCommand());
  return mcpServeOn(command);
}
