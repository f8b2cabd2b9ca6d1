import { createValidator, TypedTool, type DynTool, type Effect, type ToolCtx } from "#salvor/index.js";
import type { JsonObject } from "#salvor/contract/json.js";
import type { RunTools } from "#salvor/runtime/index.js";

const validator = createValidator();

export interface HostedShape {
  readonly key?: string;
  readonly timeoutMs?: number;
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
}

type Call = (ctx: ToolCtx, input: JsonObject) => unknown;

/** A tool for a server to perform. */
export function hostedTool(name: string, effect: Effect, call: Call, shape: HostedShape = {}): DynTool {
  const { key, timeoutMs, inputSchema = { type: "object" }, outputSchema } = shape;
  return new TypedTool<JsonObject, unknown>(
    { call, ...(timeoutMs !== undefined && { timeoutMs }) },
    {
      name,
      description: name,
      effect,
      inputSchema,
      ...(outputSchema !== undefined && { outputSchema }),
      ...(key !== undefined && { idempotencyKey: key }),
    },
    validator,
  );
}

export function hostedTools(...tools: readonly DynTool[]): RunTools {
  const byName = new Map(tools.map((each) => [each.name, each]));
  return { get: (name) => byName.get(name), names: () => [...byName.keys()].sort() };
}

/** A tool that is in the middle of a call until the test says how it ends. */
export class Paused {
  readonly #begun: {
    readonly input: JsonObject;
    readonly ctx: ToolCtx;
    end: (value: unknown) => void;
    fail: (error: unknown) => void;
  }[] = [];
  #onBegin: () => void = () => undefined;

  readonly call = (ctx: ToolCtx, input: JsonObject): Promise<unknown> =>
    new Promise((end, fail) => {
      this.#begun.push({ input, ctx, end, fail });
      this.#onBegin();
    });

  get calls(): number {
    return this.#begun.length;
  }

  /** Resolves once it was called so often. */
  begun(count = 1): Promise<void> {
    return new Promise((resolve) => {
      this.#onBegin = () => {
        if (this.#begun.length >= count) resolve();
      };
      this.#onBegin();
    });
  }

  end(value: unknown, at = this.#begun.length - 1): void {
    this.#begun[at]?.end(value);
  }

  fail(error: unknown, at = this.#begun.length - 1): void {
    this.#begun[at]?.fail(error);
  }

  ctx(at = this.#begun.length - 1): ToolCtx {
    const call = this.#begun[at];
    if (call === undefined) throw new Error(`the tool was not called ${at + 1} times`);
    return call.ctx;
  }
}
