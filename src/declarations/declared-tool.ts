import type { Effect } from "../contract/effect.js";
import type { JsonObject } from "../contract/json.js";
import type { Judge } from "../contract/validator.js";

/** What an operator declared about a client tool (docs/declarations.md). Deeply frozen. */
export interface ClientToolDeclaration {
  readonly name: string;
  readonly effect: Effect;
  readonly input_schema: JsonObject;
  /** Without it no client may close a call. */
  readonly output_schema?: JsonObject;
  /** Whether the client's word closes a call. */
  readonly trust_completion: boolean;
  /** Fields that the output must repeat from the input, equal. */
  readonly require_equal: readonly string[];
  /** Input fields that identify a call; empty when each call is its own. */
  readonly idempotency_key: readonly string[];
  readonly description?: string;
  readonly title?: string;
}

/** A declaration that passed every check, with its schemas compiled. */
export interface DeclaredTool {
  readonly declaration: ClientToolDeclaration;
  readonly judgeInput: Judge;
  readonly judgeOutput?: Judge;
}
