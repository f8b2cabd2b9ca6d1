import { AsyncLocalStorage } from "node:async_hooks";

const SCOPE = new AsyncLocalStorage<string>();

/** Executes a tool so that what it leaves running, and what breaks there later, can be told from what is ours. */
export function inToolScope<T>(tool: string, execute: () => Promise<T>): Promise<T> {
  return SCOPE.run(tool, execute);
}

/** The tool whose code is running, or whose timer or callback has just thrown. */
export function toolInScope(): string | undefined {
  return SCOPE.getStore();
}
