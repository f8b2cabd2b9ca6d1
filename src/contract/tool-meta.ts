import "reflect-metadata/lite";
import type { Effect } from "./effect.js";

/** What `@Tool` says about a class. Frozen. */
export interface ToolMeta {
  readonly name: string;
  readonly effect: Effect;
  readonly description?: string;
  /** The dotted path of the input member that identifies a call. */
  readonly idempotencyKey?: string;
  /** The name of the class itself. */
  readonly className: string;
}

// From the global symbol registry: a class that another copy of this package decorated is a tool all the same.
const TOOL_META = Symbol.for("salvor.tool");

/**
 * What `@Tool` says about a class; `undefined` for a class without one. Never inherited: a subclass of a tool is a tool
 * only when it says so itself.
 */
export function toolMetaOf(target: object): ToolMeta | undefined {
  return Reflect.getOwnMetadata(TOOL_META, target) as ToolMeta | undefined;
}

/** Records what `@Tool` says about a class. */
export function setToolMeta(target: object, meta: ToolMeta): void {
  Reflect.defineMetadata(TOOL_META, Object.freeze(meta), target);
}
