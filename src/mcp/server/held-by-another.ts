import type { DynTool } from "../../contract/dyn-tool.js";
import type { CallHolder, EventStore } from "../../store/event-store.js";
import type { AskedCall } from "./served-tools.js";

/**
 * The call that is open under the key that a tool declares for this input, if one is: nothing can be said about the one that
 * is asked for before that one has an end.
 *
 * @throws `MissingIdempotencyKey` when the input yields no key.
 */
export async function heldByAnother(
  store: EventStore,
  { effect, idempotencyKey }: DynTool,
  { input }: AskedCall,
): Promise<CallHolder | undefined> {
  if (idempotencyKey === undefined || effect === "read") return undefined;
  const holder = await store.lookupCall(idempotencyKey(input));
  return holder?.settled === false ? holder : undefined;
}
