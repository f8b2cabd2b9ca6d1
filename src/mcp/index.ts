export { annotationsOf } from "../contract/models/annotations-of.js";
export type { ToolAnnotations } from "../contract/models/tool-annotations.js";
export { callMcpTool, isMcpAnswer } from "./client/call-mcp-tool.js";
export type {
  HttpOptions,
  McpHost,
  McpProgress,
  McpTrouble,
  StdioOptions,
} from "./client/connect-options.js";
export type { Elicitation, ElicitationAnswer, OnElicitation } from "./client/elicitation.js";
export { McpConnectError, McpConnectionLost, McpToolError, McpToolsError } from "./client/mcp-errors.js";
export { McpServer } from "./client/mcp-server.js";
export type { McpToolDefinition, RefusedTool } from "./client/tool-definition.js";
export type { McpToolOptions, McpToolsOptions } from "./client/tool-options.js";
export { effectOf, type EffectOptions } from "./effect-of.js";
export type { JudgedEffect } from "./effect-reason.js";
export { IDEMPOTENCY_KEY_META } from "./meta.js";
