import type { BaseMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import type { JsonObject } from "../../contract/json.js";
import { messageJson, plain } from "./message-json.js";

/** What decides a model's answer, as LangChain has it. */
export interface ModelAsk {
  readonly model: unknown;
  readonly messages: readonly BaseMessage[];
  readonly tools?: readonly unknown[] | undefined;
  readonly toolChoice?: unknown;
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  readonly responseFormat?: unknown;
}

/** Settings that travel with a request and say nothing of what is asked. */
const NOT_ASKED = new Set(["headers", "signal", "callbacks", "timeout", "maxRetries", "metadata", "tags"]);

/** A request as it is recorded and hashed: equal whenever the same program asks the same thing again. */
export function modelRequest(ask: ModelAsk): JsonObject {
  const { tools = [], settings = {}, responseFormat } = ask;
  const asked = Object.entries(settings).filter(([name]) => !NOT_ASKED.has(name));
  return plain({
    model: modelName(ask.model),
    messages: ask.messages.map(messageJson),
    tools: tools.length === 0 ? undefined : tools.map(toolJson),
    tool_choice: ask.toolChoice,
    settings: asked.length === 0 ? undefined : Object.fromEntries(asked),
    response_format: responseFormat === undefined ? undefined : formatJson(responseFormat),
  });
}

/**
 * What a model is known by: its class, its name, and what it is asked to be like. Its other fields may hold secrets.
 */
function modelName(model: unknown): unknown {
  const { model: name, modelName: otherName, _defaultConfig: configured } = fieldsOf(model);
  const { model: configuredName, modelProvider } = fieldsOf(configured);
  return {
    name: [name, otherName, configuredName].find((each) => typeof each === "string"),
    provider: modelProvider,
    ...traced(model),
  };
}

/** What a model lets traces say of it: provider, name, temperature, most tokens. */
function traced(model: unknown): object {
  const { getLsParams } = fieldsOf(model);
  const params: unknown = typeof getLsParams === "function" ? getLsParams.call(model, {}) : {};
  const { ls_provider, ls_model_name, ls_temperature, ls_max_tokens } = fieldsOf(params);
  return { ls_provider, ls_model_name, ls_temperature, ls_max_tokens };
}

/** A tool of LangChain as a model is told of it; what a provider offers itself is told as it is. */
function toolJson(tool: unknown): unknown {
  const { name, schema } = fieldsOf(tool);
  return name !== undefined && schema !== undefined
    ? convertToOpenAITool(tool as Parameters<typeof convertToOpenAITool>[0])
    : tool;
}

/** The schemas that an answer is to have, whichever way they were given. */
function formatJson(format: unknown): unknown {
  if (Array.isArray(format)) return format.map(formatJson);
  const { schema, strict } = fieldsOf(format);
  if (schema !== undefined) return { schema, strict };
  return toJsonSchema(format as Parameters<typeof toJsonSchema>[0]);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return (typeof value === "object" || typeof value === "function") && value !== null
    ? (value as Record<string, unknown>)
    : {};
}
