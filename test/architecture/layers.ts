/**
 * Which folders of src may import which, from the top down:
 * cli -> server, client, mcp -> runtime -> store, declarations, schema -> log -> contract.
 */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  // src/version.ts: what this package is; read by whoever says so.
  version: [],
  contract: [],
  log: ["contract"],
  schema: ["log", "contract", "version"],
  store: ["log", "contract"],
  declarations: ["schema", "log", "contract"],
  runtime: ["store", "declarations", "schema", "log", "contract"],
  // What runs in a customer's process brings no server, store or declarations with it.
  client: ["schema", "log", "contract", "version"],
  // Other people's agent loops, each over the client and one package of theirs.
  adapters: ["client", "schema", "log", "contract"],
  server: ["runtime", "store", "declarations", "schema", "log", "contract", "version"],
  mcp: ["runtime", "store", "declarations", "schema", "log", "contract", "version"],
  // The page in a browser, over the client, which brings nothing of Node along.
  console: ["client", "log", "contract"],
  cli: [
    "server",
    "client",
    "mcp",
    "runtime",
    "store",
    "declarations",
    "schema",
    "log",
    "contract",
    "version",
  ],
  // src/index.ts: the tool author's face.
  index: ["schema", "contract"],
};

/** The folders that are pure, and the only packages that they may import. */
export const PURE: Readonly<Record<string, readonly string[]>> = {
  contract: ["reflect-metadata/lite"],
  log: ["canonicalize", "node:crypto"],
};

/** The files that load what somebody else names: a module that an operator hands to the command line. */
export const LOADERS: readonly string[] = ["cli/load-tools.ts"];

export const MAX_LINES = 300;
