import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../json.js";
import type { ToolDescriptor } from "../tool-set.js";
import { checkName, ModelToolError, type Loss, type ModelTool, type ObjectSchema } from "./model-tool.js";
import { objectRoot, requiredOf, without } from "./object-root.js";
import { asDraft2020 } from "./draft-2020.js";

/** A tool of Anthropic's Messages API. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: ObjectSchema;
}

/** What the API takes for the name of a member at the top. */
const MEMBER = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * A tool for Anthropic's models (docs/tools.md, "For models"). The API reads schemas as JSON Schema 2020-12.
 *
 * @throws {@link ModelToolError} for a name that no API accepts, of the tool or of a required member.
 */
export function toAnthropic(descriptor: ToolDescriptor): ModelTool<AnthropicTool> {
  checkName(descriptor);
  const losses: Loss[] = [];
  const root = asDraft2020(objectRoot(descriptor.inputSchema, losses));
  const schema = withNamedMembers(descriptor.name, without(root, "$schema"), losses);
  const { name, description } = descriptor;
  return { tool: { name, description, input_schema: schema as unknown as ObjectSchema }, losses };
}

function withNamedMembers(tool: string, schema: JsonObject, losses: Loss[]): JsonObject {
  const properties = ownValue(schema, "properties");
  if (!isJsonObject(properties)) return schema;
  const kept: [string, JsonValue][] = [];
  for (const [name, member] of Object.entries(properties)) {
    if (MEMBER.test(name)) kept.push([name, member]);
    else if (requiredOf(schema).includes(name)) {
      throw new ModelToolError(
        `no model of this API can call ${tool}: it requires the member ${JSON.stringify(name)}, ` +
          "and a member's name has 1 to 64 letters, digits, _, . and -; give it another",
      );
    } else {
      const message = `the API takes no member called ${JSON.stringify(name)}, so the model does not know it`;
      losses.push({ path: "$", keyword: "properties", message });
    }
  }
  return { ...schema, properties: Object.fromEntries(kept) };
}
