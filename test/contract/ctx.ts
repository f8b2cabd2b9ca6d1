import type { ToolCtx } from "#salvor/contract/tool-handler.js";

const silent = (): undefined => undefined;
const SILENT = { debug: silent, info: silent, warn: silent, error: silent };

/** What a driver tells a handler, for a test that calls a tool itself. */
export function ctxOf(given: Partial<ToolCtx> = {}): ToolCtx {
  return { signal: new AbortController().signal, attempt: 1, log: SILENT, ...given };
}
