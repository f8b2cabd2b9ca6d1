import type { DynTool } from "./dyn-tool.js";

/** Tools that come from elsewhere and may change while a program runs. */
export interface ToolSource {
  /** The tool with a name, or `undefined`. */
  readonly get: (name: string) => DynTool | undefined;
  readonly names: () => readonly string[];
}
