import { EFFECTS, isEffect, type Effect } from "./effect.js";
import { IdempotencyPath } from "./idempotency-path.js";
import type { CheckEffect, CheckTool } from "./tool-check.js";
import { ToolDefinitionError } from "./tool-definition-error.js";
import { setToolMeta, toolMetaOf, type ToolMeta } from "./tool-meta.js";
import { snakeCase, TOOL_NAME } from "./tool-name.js";

export interface ToolOptions {
  /** What models and operators call the tool: letters, digits, `_` and `-`, at most 64. By default the class name in snake_case. */
  readonly name?: string;
  /** What the tool does, for the model. By default the class's doc comment. */
  readonly description?: string;
  /** A dotted path to the input member that identifies a call, such as `order.id`. */
  readonly idempotencyKey?: string;
}

/** Works as a standard (TC39) and as a legacy (`experimentalDecorators`) class decorator. */
export type ToolDecorator = <C>(target: C & CheckTool<C>, context?: ClassPlace) => void;

/** What a standard decorator is told; a legacy one is told nothing. */
interface ClassPlace {
  readonly kind: "class";
  readonly name: string | undefined;
}

/**
 * Makes a class a tool: `@Tool("write") class RefundOrder implements ToolHandler<RefundInput, Refund> { ... }`.
 *
 * @param effect what a call does to the world: it decides what happens after a failure (docs/tools.md, "The three effects").
 * @throws {@link ToolDefinitionError} while the class is being defined, for what types cannot see: a second `@Tool`, a bad
 *   name, and in untyped code a bad effect or option.
 */
export function Tool<const E>(effect: E & CheckEffect<E>, options: ToolOptions = {}): ToolDecorator {
  const given: unknown = effect;
  if (typeof given === "function") {
    throw new ToolDefinitionError(
      `class ${given.name}: @Tool needs its effect in parentheses, such as @Tool("write")`,
    );
  }
  return (target: unknown, context) => {
    if (typeof target !== "function" || !isClassContext(context)) {
      throw new ToolDefinitionError("@Tool goes on a class, not on a member of one");
    }
    // Not target.name where there is a choice: it may be a static member.
    const className = (context?.name ?? target.name) || "(without a name)";
    const earlier = toolMetaOf(target);
    if (earlier !== undefined) {
      throw new ToolDefinitionError(
        `class ${className} has two @Tool decorators: as ${earlier.name} it is "${earlier.effect}" already; remove one`,
      );
    }
    setToolMeta(target, metaOf(className, checkEffect(className, given), options));
  };
}

/** In untyped code a standard decorator may stand on a member. */
function isClassContext(context: { readonly kind: string } | undefined): boolean {
  return context === undefined || context.kind === "class";
}

const OPTIONS: readonly string[] = [
  "name",
  "description",
  "idempotencyKey",
] satisfies readonly (keyof ToolOptions)[];

function checkEffect(className: string, effect: unknown): Effect {
  if (isEffect(effect)) return effect;
  const found = typeof effect === "string" ? `"${effect}"` : typeof effect;
  throw new ToolDefinitionError(
    `class ${className}: ${found} is no effect; it is one of ${EFFECTS.join(", ")}`,
  );
}

function metaOf(className: string, effect: Effect, options: ToolOptions): ToolMeta {
  for (const [option, value] of Object.entries(options) as [string, unknown][]) {
    if (!OPTIONS.includes(option)) {
      throw new ToolDefinitionError(
        `class ${className}: @Tool has no option "${option}"; it has ${OPTIONS.join(", ")}`,
      );
    }
    if (value !== undefined && (typeof value !== "string" || value.trim() === "")) {
      throw new ToolDefinitionError(`class ${className}: the option ${option} of @Tool must be a text`);
    }
  }
  const { name = snakeCase(className), description, idempotencyKey } = options;
  if (!TOOL_NAME.test(name)) {
    throw new ToolDefinitionError(
      `class ${className}: "${name}" is no tool name (letters, digits, _ and -, at most 64); ` +
        `name it yourself: @Tool("${effect}", { name: "..." })`,
    );
  }
  return {
    name,
    effect,
    className,
    ...(description !== undefined && { description }),
    ...(idempotencyKey !== undefined && { idempotencyKey: checkPath(className, name, idempotencyKey) }),
  };
}

function checkPath(className: string, name: string, path: string): string {
  try {
    return new IdempotencyPath(name, path).path;
  } catch (cause) {
    throw new ToolDefinitionError(`class ${className}: idempotencyKey: ${String(cause)}`, { cause });
  }
}
