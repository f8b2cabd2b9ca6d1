/**
 * What an MCP server says about a tool's behaviour. Hints only, from a party that may be wrong or lie
 * (Model Context Protocol 2025-06-18, "ToolAnnotations").
 */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}
