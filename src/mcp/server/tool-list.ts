import { toMcp, type McpTool } from "../../contract/models/to-mcp.js";
import type { ToolDescriptor } from "../../contract/tool-set.js";
import type { Loss } from "../../contract/models/model-tool.js";

/** The tools as an MCP client is told of them, and what it is not told. */
export interface ToolList {
  readonly tools: readonly McpTool[];
  readonly losses: readonly (Loss & { readonly tool: string })[];
}

/**
 * @throws `ModelToolError` for a name that no API accepts.
 */
export function toolList(descriptors: readonly ToolDescriptor[]): ToolList {
  const listed = descriptors.map((each) => toMcp(each));
  return {
    tools: listed.map(({ tool }) => tool),
    losses: listed.flatMap(({ tool: { name }, losses }) => losses.map((loss) => ({ ...loss, tool: name }))),
  };
}
