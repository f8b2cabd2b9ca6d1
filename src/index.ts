export { EFFECTS, isEffect, type Effect } from "./contract/effect.js";
export { Tool, type ToolDecorator, type ToolOptions } from "./contract/tool-decorator.js";
export { ToolDefinitionError } from "./contract/tool-definition-error.js";
export { toolMetaOf, type ToolMeta } from "./contract/tool-meta.js";
export type { ToolCtx, ToolHandler, ToolLog, ToolLogDetails } from "./contract/tool-handler.js";
export {
  output,
  suspend,
  type OutputOutcome,
  type SuspendOutcome,
  type ToolOutcome,
} from "./contract/tool-outcome.js";
export { HandlerError, RetryableError, UnknownOutcomeError } from "./contract/handler-errors.js";
export {
  HandlerFailed,
  InvalidInput,
  isToolError,
  MissingIdempotencyKey,
  OutputSerialization,
  type ToolError,
} from "./contract/tool-errors.js";
export { RegistryError, type RegistryErrorCode } from "./contract/registry-error.js";
export type { CallOutcome, Continuation, DynTool } from "./contract/dyn-tool.js";
export type { ToolSource } from "./contract/tool-source.js";
export { TypedTool, type TypedToolDefinition } from "./contract/typed-tool.js";
export { IdempotencyPath } from "./contract/idempotency-path.js";
export { RetryPolicy, type RetryLimits } from "./contract/retry-policy.js";
export type { SchemaArtefact, SchemaObject, ToolSchemas } from "./contract/artefact.js";
export type { OwnSchema, OwnSchemas } from "./contract/own-schemas.js";
export type { StandardIssue, StandardResult, StandardSchema } from "./contract/standard-schema.js";
export { ToolSet } from "./schema/tool-set.js";
export { declaredTools, type DeclaredHandler, type ToolDeclaration } from "./schema/declared-tools.js";
export { createValidator, type ValidatorOptions } from "./schema/validator.js";
export type { ToolDescriptor, ToolSetOptions } from "./contract/tool-set.js";
export { fromOpenAI, toOpenAI, type OpenAITool } from "./contract/models/to-openai.js";
export { toAnthropic, type AnthropicTool } from "./contract/models/to-anthropic.js";
export { toMcp, type McpTool } from "./contract/models/to-mcp.js";
export {
  ModelToolError,
  type Loss,
  type ModelTool,
  type ObjectSchema,
} from "./contract/models/model-tool.js";
export type { ToolAnnotations } from "./contract/models/tool-annotations.js";
export type { JsonObject, JsonSchema, JsonValue } from "./contract/json.js";
export type { Judge, SchemaCompiler, ToolJudge, Validator, Violation } from "./contract/validator.js";
