import type { ServerProgram } from "./transport/stdio-transport.js";

/** How a server is reached. */
export type Reach =
  | ({ readonly kind: "stdio" } & ServerProgram)
  | { readonly kind: "http"; readonly url: URL; readonly headers: Readonly<Record<string, string>> };
