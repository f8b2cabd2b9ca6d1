/**
 * Which folders of src may import which, from the top down:
 * cli -> server, client, mcp -> runtime -> store, declarations, schema -> log -> contract.
 */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  log: ["contract"],
  schema: ["log", "contract"],
  store: ["log", "contract"],
  declarations: ["schema", "log", "contract"],
  runtime: ["store", "declarations", "schema", "log", "contract"],
  // What runs in a customer's process brings no server, store or declarations with it.
  client: ["schema", "log", "contract"],
  server: ["runtime", "store", "declarations", "schema", "log", "contract"],
  mcp: ["runtime", "store", "declarations", "schema", "log", "contract"],
  console: ["log", "contract"],
  cli: ["server", "client", "mcp", "runtime", "store", "declarations", "schema", "log", "contract"],
  // src/index.ts: the tool author's face.
  index: ["schema", "contract"],
};

/** The folders that are pure, and the only packages that they may import. */
export const PURE: Readonly<Record<string, readonly string[]>> = {
  contract: ["reflect-metadata"],
  log: ["canonicalize", "node:crypto"],
};

export const MAX_LINES = 300;
