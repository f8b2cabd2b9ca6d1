import { Command } from "commander";
import { mcpServeOn } from "./mcp-serve.js";

/** `salvor mcp`: the Model Context Protocol. By itself it serves tools; its sub-commands look at other servers. */
export function mcpCommand(): Command {
  return mcpServeOn(new Command("mcp"));
}
