import type { Effect } from "../contract/effect.js";
import type { JsonObject } from "../contract/json.js";
import type { ClientToolDeclaration } from "./declared-tool.js";

/** A declaration as clients see it (docs/http-api.md, "Client tools"). */
export interface PublishedTool {
  readonly name: string;
  readonly effect: Effect;
  readonly input_schema: JsonObject;
  readonly trust_completion: boolean;
  readonly output_schema?: JsonObject;
  readonly require_equal?: readonly string[];
  readonly idempotency_key?: readonly string[];
  readonly description?: string;
  readonly title?: string;
}

/** Schemas as they were declared; empty lists and absent texts are left out. */
export function publish(declaration: ClientToolDeclaration): PublishedTool {
  const { name, effect, input_schema, trust_completion } = declaration;
  const { output_schema, require_equal, idempotency_key, description, title } = declaration;
  return {
    name,
    effect,
    input_schema,
    trust_completion,
    ...(output_schema && { output_schema }),
    ...(require_equal.length > 0 && { require_equal }),
    ...(idempotency_key.length > 0 && { idempotency_key }),
    ...(description !== undefined && { description }),
    ...(title !== undefined && { title }),
  };
}
