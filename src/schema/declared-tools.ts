import { ARTEFACT_FORMAT } from "../contract/artefact.js";
import type { DynTool } from "../contract/dyn-tool.js";
import type { Effect } from "../contract/effect.js";
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "../contract/json.js";
import { RegistryError } from "../contract/registry-error.js";
import type { ToolCtx } from "../contract/tool-handler.js";
import { TypedTool } from "../contract/typed-tool.js";
import { ToolSet } from "./tool-set.js";
import { createValidator } from "./validator.js";

/** What a server says of a tool that its operator declared: one of what `client.clientTools()` answers. */
export interface ToolDeclaration {
  readonly name: string;
  readonly effect: Effect;
  readonly description?: string;
  readonly title?: string;
  readonly input_schema: JsonSchema;
  readonly output_schema?: JsonSchema;
}

/**
 * What performs a declared tool: one attempt, under the rules of a class's `call`. The input has passed the declaration's schema; what
 * is returned is judged by its output schema. A `HandlerError` says that the effect did not happen.
 */
export type DeclaredHandler = (ctx: ToolCtx, input: never) => unknown;

/**
 * The tools that an operator declared, performed by functions of this program: for a program that writes no tool classes. Effect,
 * description and schemas are the declaration's. Declared tools for which there is no function are left out.
 *
 * @param declared what `client.clientTools()` answers.
 * @param handlers a function for each tool that this program performs, by the tool's name.
 * @throws {@link RegistryError} `undeclared_tool`, naming the functions that no declaration is about.
 */
export function declaredTools(
  declared: readonly ToolDeclaration[],
  handlers: Readonly<Record<string, DeclaredHandler>>,
): ToolSet {
  const strangers = Object.keys(handlers).filter((name) => !declared.some((tool) => tool.name === name));
  if (strangers.length > 0) {
    const names = declared.map(({ name }) => name).join(", ") || "nothing";
    throw new RegistryError(
      "undeclared_tool",
      `the operator declared no ${strangers.join(", ")} (declared: ${names}): start the server with --client-tool FILE for it, or take its function out`,
    );
  }
  const validator = createValidator();
  const tools = new Map<string, DynTool>();
  for (const { name, effect, description, title, input_schema, output_schema } of declared) {
    const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
    if (handler === undefined) continue;
    const call = (ctx: ToolCtx, input: JsonValue) => handler(ctx, input as never);
    const outputSchema = output_schema === undefined ? undefined : asObject(output_schema);
    const definition = {
      name,
      description: description ?? title ?? name,
      effect,
      inputSchema: asObject(input_schema),
      ...(outputSchema && { outputSchema }),
    };
    tools.set(name, new TypedTool({ call }, definition, validator));
  }
  const artefact = { formatVersion: ARTEFACT_FORMAT, generator: {}, inputs: {}, tools: {} };
  return new ToolSet(artefact, { validator }).include({
    get: (name) => tools.get(name),
    names: () => [...tools.keys()],
  });
}

/** A schema in the form that says as much as `true` or `false` do. */
function asObject(schema: JsonSchema): JsonObject {
  if (isJsonObject(schema)) return schema;
  return schema ? {} : { not: {} };
}
