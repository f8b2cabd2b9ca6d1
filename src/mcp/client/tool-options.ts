import type { Effect } from "../../contract/effect.js";

/** What an operator says about one tool of a server. */
export interface McpToolOptions {
  /** What the tool is; it wins over every hint of the server's. */
  readonly effect?: Effect | undefined;
  /** A dotted path to the argument that identifies a call, as `order.id`. */
  readonly idempotencyKey?: string | undefined;
  /**
   * Whether an error that the server answers to a `write` proves that nothing happened; false by default, since it is a third
   * party's text. Then such a call is recorded as failed, and may be asked for again.
   */
  readonly errorsAreDefinite?: boolean | undefined;
  /** After how many milliseconds a call is given up. */
  readonly timeoutMs?: number | undefined;
}

/** What an operator says about a server's tools. */
export interface McpToolsOptions {
  /** By the names that the server uses. */
  readonly tools?: Readonly<Record<string, McpToolOptions>> | undefined;
  /** Whether the server's hints count (`readOnlyHint`, `idempotentHint`); true by default. Without them every tool is a `write`. */
  readonly trustAnnotations?: boolean | undefined;
  /** Put in front of every tool's name: real servers use the same names. */
  readonly prefix?: string | undefined;
  /** After how many milliseconds a call is given up, where its tool says nothing. */
  readonly timeoutMs?: number | undefined;
}

/** What an operator says about a tool, or nothing. */
export function optionsOf({ tools }: McpToolsOptions, name: string): McpToolOptions {
  return (tools !== undefined && Object.hasOwn(tools, name) ? tools[name] : undefined) ?? {};
}
