import { TOOL_NAME } from "../tool-name.js";
import type { ToolDescriptor } from "../tool-set.js";

/** Something that a schema demands and that a model is not told, or told otherwise. The tool demands it all the same. */
export interface Loss {
  /** Where in the tool's schema, as `$.properties.lines.items`. */
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
}

/** A tool in the form of one API, and what that form does not say. */
export interface ModelTool<T> {
  readonly tool: T;
  /** Empty when nothing is lost. */
  readonly losses: readonly Loss[];
}

/** The schema of an object, as APIs take it at the top of a tool. */
export interface ObjectSchema {
  readonly type: "object";
  readonly properties?: { readonly [name: string]: object };
  readonly required?: string[];
  readonly [keyword: string]: unknown;
}

/** A tool that an API would refuse whatever is left out. */
export class ModelToolError extends Error {
  override readonly name = "ModelToolError";
  readonly code = "model_tool";
}

/** @throws {@link ModelToolError} for a name that no API accepts; a tool of a `ToolSet` never has one. */
export function checkName({ name }: ToolDescriptor): void {
  if (TOOL_NAME.test(name)) return;
  throw new ModelToolError(
    `no model can call the tool "${name}": a name has 1 to 64 letters, digits, _ and -; give it another`,
  );
}
