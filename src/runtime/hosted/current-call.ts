import { AsyncLocalStorage } from "node:async_hooks";

/** A hosted call, as a log line names it. */
export interface CurrentCall {
  readonly run: string;
  readonly seq: number;
  readonly tool: string;
}

const current = new AsyncLocalStorage<CurrentCall>();

/** Whose code is running: the hosted call that it was started by, or `undefined` when that is none. */
export function currentCall(): CurrentCall | undefined {
  return current.getStore();
}

/** Runs a hosted call's code, and all that it starts, under its name. */
export function asCall<T>(call: CurrentCall, work: () => T): T {
  return current.run(call, work);
}
