import type { ClientTools } from "../server/index.js";

/** The declarations of a server that has none. */
export const NO_CLIENT_TOOLS: ClientTools = { get: () => undefined, published: () => [] };
