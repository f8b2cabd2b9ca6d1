import type { ServerContext } from "@modelcontextprotocol/server";
import type { ServerSdk } from "./sdk.js";

/**
 * Aborted when the client gives a request up. A connection that ends is no such word: what was asked for is performed and
 * recorded, and a client that comes back finds its answer. Only in the revision of 2026-07-28 over HTTP has a client no other
 * way to say it than to close the stream of its request.
 */
export function cancellation(sdk: ServerSdk, { mcpReq, http }: ServerContext): AbortSignal {
  const { signal, envelope } = mcpReq;
  if (http !== undefined && envelope !== undefined) return signal;
  const cancelled = new AbortController();
  const onAbort = (): void => {
    const reason: unknown = signal.reason;
    const isGone = reason instanceof sdk.SdkError && reason.code === sdk.SdkErrorCode.ConnectionClosed;
    if (!isGone) cancelled.abort(new CancelledByClient(String(reason)));
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return cancelled.signal;
}

/** The client has given the request up. */
export class CancelledByClient extends Error {
  override readonly name = "CancelledByClient";
  readonly code = "cancelled";
}
