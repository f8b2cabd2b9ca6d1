import type { CallOutcome, DynTool } from "./dyn-tool.js";
import type { Effect } from "./effect.js";
import { HandlerError, reasonOf, UnknownOutcomeError } from "./handler-errors.js";
import { IdempotencyPath } from "./idempotency-path.js";
import type { JsonObject, JsonValue } from "./json.js";
import { judgeOutcome } from "./judge-outcome.js";
import { copyInput, NotJson } from "./plain-json.js";
import type { StandardSchema } from "./standard-schema.js";
import { standardVerdict, type StandardVerdict } from "./standard-verdict.js";
import { HandlerFailed, InvalidInput, MissingIdempotencyKey, OutputSerialization } from "./tool-errors.js";
import type { ToolCtx, ToolHandler } from "./tool-handler.js";
import { isPromise } from "./is-promise.js";
import type { ToolJudge, Validator, Violation } from "./validator.js";

/** What a handler needs besides itself to be a tool. */
export interface TypedToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  /** Judges the input in place of `inputSchema`, which then only describes it; what it makes of the input is what the handler gets. */
  readonly inputStandard?: StandardSchema;
  /** Judges the output in place of `outputSchema`. What is recorded is what the handler returned. */
  readonly outputStandard?: StandardSchema;
  /** A dotted path to the input member that identifies a call; else the handler's own `idempotencyKey(input)`, if it has one. */
  readonly idempotencyKey?: string;
  /** After how many milliseconds a call is given up; when this member is absent, the handler's own `timeoutMs` says it. */
  readonly timeoutMs?: number | undefined;
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
  readonly judgeInput: ToolJudge;
  readonly judgeOutput?: ToolJudge;
  readonly #handler: ToolHandler<I, O>;
  readonly #readInput: InputReader;
  #isReady = false;

  /**
   * @throws what the validator throws when a schema does not compile.
   */
  constructor(handler: ToolHandler<I, O>, definition: TypedToolDefinition, validator: Validator) {
    this.name = definition.name;
    this.description = definition.description;
    this.effect = definition.effect;
    this.inputSchema = definition.inputSchema;
    if (definition.outputSchema !== undefined) this.outputSchema = definition.outputSchema;
    const { timeoutMs } = Object.hasOwn(definition, "timeoutMs") ? definition : handler;
    if (timeoutMs !== undefined) this.timeoutMs = timeoutMs;
    const key = keyOf(handler, definition);
    if (key !== undefined) this.idempotencyKey = key;
    this.#handler = handler;
    this.#readInput = inputReader(definition, validator);
    this.judgeInput = inputJudge(this.#readInput);
    const judgeOutput = outputJudge(definition, validator);
    if (judgeOutput !== undefined) this.judgeOutput = judgeOutput;
  }

  async callJson(ctx: ToolCtx, input: JsonValue): Promise<CallOutcome> {
    // A copy: a handler that changes its input must not change what the next attempt is given.
    const own = this.#plain(input);
    if (!this.#isReady) this.#makeReady();
    const reading = this.#readInput(own, ctx.signal);
    const read = reading instanceof Promise ? await this.#verdict(reading) : reading;
    if (!read.accepted) throw new InvalidInput(this.name, read.violations);
    const known = this.#withKey(ctx, own);
    try {
      const returning = this.#handler.call(known, read.value as I);
      const returned = isPromise(returning) ? await returning : returning;
      const outcome = judgeOutcome(this.name, returned, this.judgeOutput, ctx.signal);
      return outcome instanceof Promise ? await outcome : outcome;
    } catch (thrown) {
      throw this.#failure(thrown);
    }
  }

  /** Before the handler runs for the first time: afterwards it would be too late to find that its output cannot be judged. */
  #makeReady(): void {
    try {
      this.#readInput.ready?.();
      this.judgeOutput?.ready?.();
      this.#isReady = true;
    } catch (cause) {
      const message = `a schema of it does not compile, so it was not run: ${reasonOf(cause)}`;
      throw new HandlerFailed(this.name, new HandlerError(message, { cause }));
    }
  }

  #plain(input: JsonValue): JsonValue {
    try {
      return copyInput(input);
    } catch (cause) {
      if (!(cause instanceof NotJson)) throw cause;
      throw new InvalidInput(this.name, [{ path: cause.path, message: cause.problem }], { cause });
    }
  }

  /** The handler never runs when the call is given up before its input is judged: a definite failure. */
  async #verdict(reading: Promise<Reading>): Promise<Reading> {
    try {
      return await reading;
    } catch (cause) {
      const message = "the call was given up before its input was judged; the handler never ran";
      throw new HandlerFailed(this.name, new HandlerError(message, { cause }));
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

/** An input as its handler gets it, or what is wrong with it. */
type Reading = StandardVerdict;
interface InputReader {
  (input: JsonValue, signal: AbortSignal): Reading | Promise<Reading>;
  readonly ready?: (() => void) | undefined;
}

function inputReader({ inputSchema, inputStandard }: TypedToolDefinition, validator: Validator): InputReader {
  if (inputStandard !== undefined) return (input, signal) => standardVerdict(inputStandard, input, signal);
  const judge = validator.compile(inputSchema);
  const read: InputReader = (input) => {
    const verdict = judge(input);
    if (Array.isArray(verdict)) return readingOf(input, verdict as readonly Violation[]);
    return Promise.resolve(verdict).then((violations) => readingOf(input, violations));
  };
  return Object.assign(read, { ready: judge.ready });
}

function readingOf(input: JsonValue, violations: readonly Violation[]): Reading {
  return violations.length > 0 ? { accepted: false, violations } : { accepted: true, value: input };
}

/** What a reader says of an input, without what it makes of it. */
function inputJudge(read: InputReader): ToolJudge {
  return async (input, signal = NEVER) => {
    const reading = await read(input, signal);
    return reading.accepted ? [] : reading.violations;
  };
}

const NEVER = new AbortController().signal;

function outputJudge(definition: TypedToolDefinition, validator: Validator): ToolJudge | undefined {
  const { outputSchema, outputStandard } = definition;
  if (outputStandard === undefined) return outputSchema && validator.compile(outputSchema);
  return async (output, signal) => {
    const verdict = await standardVerdict(outputStandard, output, signal);
    return verdict.accepted ? [] : verdict.violations;
  };
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
    key = handler.idempotencyKey?.(copyInput(input) as I);
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
