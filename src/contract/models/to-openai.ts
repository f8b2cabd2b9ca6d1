import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../json.js";
import type { ToolDescriptor } from "../tool-set.js";
import { admitsNull, spread } from "./admits-null.js";
import { checkName, type Loss, type ModelTool, type ObjectSchema } from "./model-tool.js";
import { objectRoot, without } from "./object-root.js";
import { strictSchema } from "./strict-schema.js";

/** A tool of OpenAI's Chat Completions API; the Responses API takes `{ type: "function", ...tool.function }`. */
export interface OpenAITool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: ObjectSchema;
    readonly strict: boolean;
  };
}

/**
 * A tool for OpenAI's models (docs/tools.md, "For models").
 *
 * @param options.strict whether the API shall hold the model to the schema. A schema that strict mode cannot take is given as it
 *   is, with `strict: false`, and `losses` says why. Arguments of a strict tool go through {@link fromOpenAI}.
 * @throws {@link ModelToolError} for a name that no API accepts.
 */
export function toOpenAI(
  descriptor: ToolDescriptor,
  { strict: wanted = false }: { readonly strict?: boolean } = {},
): ModelTool<OpenAITool> {
  checkName(descriptor);
  const losses: Loss[] = [];
  const root = objectRoot(descriptor.inputSchema, losses);
  if (!wanted) return { tool: toolOf(descriptor, root, false), losses };
  const { schema, losses: more, obstacles } = strictSchema(root);
  if (obstacles.length === 0) return { tool: toolOf(descriptor, schema, true), losses: [...losses, ...more] };
  const refused = obstacles.map((each) => ({ ...each, message: `not strict: ${each.message}` }));
  return { tool: toolOf(descriptor, root, false), losses: [...losses, ...refused] };
}

/**
 * The input that the arguments of a strict call stand for: a null where the tool's schema has none is a member left out. Judges
 * nothing; the tool does.
 */
export function fromOpenAI({ inputSchema }: ToolDescriptor, given: JsonValue): JsonValue {
  return withoutNulls(inputSchema, [inputSchema], given);
}

function withoutNulls(root: JsonObject, schemas: readonly JsonValue[], value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  const all = spread(root, schemas).filter(isJsonObject);
  if (Array.isArray(value)) {
    const items = all.flatMap((schema) => ownValue(schema, "items") ?? []);
    return (value as readonly JsonValue[]).map((item) => withoutNulls(root, items, item));
  }
  const kept: [string, JsonValue][] = [];
  for (const [name, member] of Object.entries(value)) {
    const known = all.flatMap((schema) => {
      const properties = ownValue(schema, "properties");
      return isJsonObject(properties) ? (ownValue(properties, name) ?? []) : [];
    });
    const leftOut = member === null && known.length > 0 && !known.some((schema) => admitsNull(root, schema));
    if (!leftOut) kept.push([name, withoutNulls(root, known, member)]);
  }
  return Object.fromEntries(kept);
}

function toolOf({ name, description }: ToolDescriptor, schema: JsonObject, strict: boolean): OpenAITool {
  const parameters = without(schema, "$schema") as unknown as ObjectSchema;
  return { type: "function", function: { name, description, parameters, strict } };
}
