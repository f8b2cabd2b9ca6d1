import type { Secrets } from "./secrets.js";
import type { ServerProgram } from "./transport/stdio-transport.js";

/** How a server is reached. */
export type Reach = {
  /** What it is given in confidence. */
  readonly secrets: Secrets;
} & (
  | ({ readonly kind: "stdio" } & ServerProgram)
  | { readonly kind: "http"; readonly url: URL; readonly headers: Readonly<Record<string, string>> }
);
