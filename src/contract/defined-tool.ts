import type { DynTool } from "./dyn-tool.js";
import { once } from "./once.js";
import type { HandlerDefinition } from "./tool-definition.js";
import type { ToolHandler } from "./tool-handler.js";
import { TypedTool } from "./typed-tool.js";
import type { Judge, Validator } from "./validator.js";

/**
 * Compiles the schemas of a handler, and makes a tool of both when it is first asked for: by then there is nothing left to refuse.
 *
 * @throws what {@link Validator.compile} throws.
 */
export function definedTool<I, O>(
  handler: ToolHandler<I, O>,
  { input, output, ...definition }: HandlerDefinition,
  validator: Validator,
): () => DynTool {
  // A Standard Schema judges in place of the schema that describes it.
  const judgeInput = definition.inputStandard === undefined ? input.compile(validator) : undefined;
  const judgeOutput = definition.outputStandard === undefined ? output?.compile(validator) : undefined;
  const make = once(() => {
    const inputSchema = input.read();
    const outputSchema = output?.read();
    const schemas = { inputSchema, ...(outputSchema !== undefined && { outputSchema }) };
    const judges = new Map<unknown, Judge | undefined>([
      [outputSchema, judgeOutput],
      [inputSchema, judgeInput],
    ]);
    const compiled: Validator = { compile: (schema) => judges.get(schema) ?? validator.compile(schema) };
    return new TypedTool(handler, { ...definition, ...schemas }, compiled);
  });
  // A tool that identifies its calls does so whatever becomes of its handler.
  if (handler.idempotencyKey !== undefined) make();
  return make;
}
