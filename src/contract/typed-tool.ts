import type { CallOutcome, DynTool } from "./dyn-tool.js";
import type { Effect } from "./effect.js";
import { HandlerError, reasonOf, UnknownOutcomeError } from "./handler-errors.js";
import { IdempotencyPath } from "./idempotency-path.js";
import type { JsonObject, JsonValue } from "./json.js";
import { judgeOutcome } from "./judge-outcome.js";
import { HandlerFailed, InvalidInput, MissingIdempotencyKey, OutputSerialization } from "./tool-errors.js";
import type { ToolCtx, ToolHandler } from "./tool-handler.js";
import type { Judge, Validator } from "./validator.js";

/** What a handler needs besides itself to be a tool. */
export interface TypedToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  /** A dotted path to the input member that identifies a call; else the handler's own `idempotencyKey(input)`, if it has one. */
  readonly idempotencyKey?: string;
}

/**
 * A handler seen as a {@link DynTool}: its input is judged before it runs, and what it returns before anybody records it.
 */
export class TypedTool<I, O> implements DynTool {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly timeoutMs?: number;
  readonly idempotencyKey?: (input: JsonValue) => string;
  readonly judgeInput: Judge;
  readonly #handler: ToolHandler<I, O>;
  readonly #judgeOutput: Judge | undefined;

  /**
   * @throws what the validator throws when a schema does not compile.
   */
  constructor(handler: ToolHandler<I, O>, definition: TypedToolDefinition, validator: Validator) {
    this.name = definition.name;
    this.description = definition.description;
    this.effect = definition.effect;
    this.inputSchema = definition.inputSchema;
    if (definition.outputSchema !== undefined) this.outputSchema = definition.outputSchema;
    if (handler.timeoutMs !== undefined) this.timeoutMs = handler.timeoutMs;
    const key = keyOf(handler, definition);
    if (key !== undefined) this.idempotencyKey = key;
    this.#handler = handler;
    this.judgeInput = validator.compile(definition.inputSchema);
    this.#judgeOutput = definition.outputSchema && validator.compile(definition.outputSchema);
  }

  async callJson(ctx: ToolCtx, input: JsonValue): Promise<CallOutcome> {
    const violations = await this.judgeInput(input);
    if (violations.length > 0) throw new InvalidInput(this.name, violations);
    const known = this.#withKey(ctx, input);
    try {
      // Its own copy: a handler that changes its input must not change what the next attempt is given.
      const returned = await this.#handler.call(known, structuredClone(input) as I);
      return await judgeOutcome(this.name, returned, this.#judgeOutput);
    } catch (thrown) {
      throw this.#failure(thrown);
    }
  }

  #withKey(ctx: ToolCtx, input: JsonValue): ToolCtx {
    if (ctx.idempotencyKey !== undefined || this.idempotencyKey === undefined) return ctx;
    return { ...ctx, idempotencyKey: this.idempotencyKey(input) };
  }

  #failure(thrown: unknown): Error {
    try {
      return this.#failureOf(thrown);
    } catch {
      // What was thrown does not even let itself be looked at: a proxy, an error with a getter that throws.
      return this.#failureOf(new Error(reasonOf(thrown)));
    }
  }

  #failureOf(thrown: unknown): Error {
    if (thrown instanceof HandlerError) return new HandlerFailed(this.name, thrown);
    if (this.effect === "write") return new UnknownOutcomeError(this.name, thrown);
    if (thrown instanceof OutputSerialization) return thrown;
    return new HandlerFailed(this.name, thrown);
  }
}

function keyOf<I, O>(
  handler: ToolHandler<I, O>,
  { name, idempotencyKey }: TypedToolDefinition,
): ((input: JsonValue) => string) | undefined {
  if (idempotencyKey !== undefined) {
    const path = new IdempotencyPath(name, idempotencyKey);
    return (input) => path.derive(input);
  }
  if (handler.idempotencyKey === undefined) return undefined;
  return (input) => handlersKey(handler, name, input);
}

/** The key that a handler derives itself, in the tool's own name space as every other key. */
function handlersKey<I, O>(handler: ToolHandler<I, O>, tool: string, input: JsonValue): string {
  let key: unknown;
  try {
    key = handler.idempotencyKey?.(structuredClone(input) as I);
  } catch (cause) {
    throw new MissingIdempotencyKey(tool, `could not be derived: ${reasonOf(cause)}`, { cause });
  }
  if (typeof key !== "string" || key === "" || !key.isWellFormed()) {
    throw new MissingIdempotencyKey(
      tool,
      `must be a non-empty string; its idempotencyKey(input) answered ${brief(key)}`,
    );
  }
  return `${tool}:${key}`;
}

function brief(key: unknown): string {
  if (typeof key === "string") return key === "" ? "an empty one" : "one with a lone surrogate";
  return key === null ? "null" : typeof key;
}
