import { isJsonObject, ownValue, type JsonObject } from "../json.js";
import type { ToolDescriptor } from "../tool-set.js";
import { annotationsOf } from "./annotations-of.js";
import { checkName, type Loss, type ModelTool, type ObjectSchema } from "./model-tool.js";
import type { ToolAnnotations } from "./tool-annotations.js";

/** A tool as an MCP server lists it (Model Context Protocol 2025-06-18, "Tool"). */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema?: ObjectSchema;
  readonly annotations: ToolAnnotations;
}

/**
 * A tool for an MCP server to list; its effect becomes the hints (docs/tools.md, "For models").
 *
 * @throws {@link ModelToolError} for a name that no API accepts.
 */
export function toMcp(descriptor: ToolDescriptor): ModelTool<McpTool> {
  checkName(descriptor);
  const { name, description, effect, inputSchema, outputSchema } = descriptor;
  const losses: Loss[] = [];
  const isObject = outputSchema !== undefined && ownValue(outputSchema, "type") === "object";
  if (outputSchema !== undefined && !isObject) {
    const message = "MCP takes only objects for structured output, so the output is not described";
    losses.push({ path: "$", keyword: "outputSchema", message });
  }
  const tool: McpTool = {
    name,
    description,
    inputSchema: objectSchema(inputSchema),
    ...(isObject && { outputSchema: objectSchema(outputSchema) }),
    annotations: annotationsOf(effect),
  };
  return { tool, losses };
}

/** The type at the top, and members whose schemas are objects, which the protocol asks for. Allows the same. */
function objectSchema(schema: JsonObject): ObjectSchema {
  const properties = ownValue(schema, "properties");
  const members = isJsonObject(properties)
    ? {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, each]) => [name, asObject(each)]),
        ),
      }
    : {};
  return { ...schema, ...members, type: "object" } as unknown as ObjectSchema;
}

function asObject(schema: unknown): unknown {
  if (schema === true) return {};
  return schema === false ? { not: {} } : schema;
}
