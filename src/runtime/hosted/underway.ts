import { jsonEqual } from "../../log/json-equal.js";
import type { CallEnd } from "./hosted-calls.js";
import type { HostedCall } from "./plan-call.js";

/** A call from when it is waiting to be performed on, until it has ended. */
export interface Underway {
  readonly asked: HostedCall;
  readonly lease: string | undefined;
  end?: Promise<CallEnd>;
}

/** Names a position of a run among all of them. */
export function nameOf(run: string, seq: number): string {
  return `${run} ${seq}`;
}

export function isSame(a: HostedCall, b: HostedCall): boolean {
  return a.tool === b.tool && jsonEqual(a.input, b.input);
}

/** Whether a call that is not recorded yet is the one that waits for its turn already. */
export function isRetry({ asked, lease }: Underway, by: string | undefined, again: HostedCall): boolean {
  return lease === by && asked.idempotencyKey === again.idempotencyKey;
}
