import type { HttpOptions, StdioOptions } from "../client/connect-options.js";

/** A server that a file names, as it is to be connected to. */
export type ServerEntry =
  | ({ readonly kind: "stdio"; readonly name: string } & StdioOptions)
  | ({ readonly kind: "http"; readonly name: string } & HttpOptions);
