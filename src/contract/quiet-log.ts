import type { ToolLog } from "./tool-handler.js";

/** Where tools say what they are doing when nobody listens. */
export const QUIET_LOG: ToolLog = Object.freeze({
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
});
