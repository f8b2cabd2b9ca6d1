import type { RequestId } from "@modelcontextprotocol/server";
import { isJsonObject, ownValue, type JsonValue } from "../../contract/json.js";

/**
 * The ids of a connection's requests that have no answer yet. An answer is told apart by nothing else: one to a request whose id
 * was used again could be taken for the other's, and a call that was answered so be asked for a second time.
 */
export class OpenRequests {
  readonly #ids = new Set<RequestId>();

  /**
   * Notes the requests in a message, or in an array of them; none of them when an id is taken.
   *
   * @returns what is noted, or what the message is to be refused for.
   */
  enter(message: JsonValue): readonly RequestId[] | string {
    const messages = Array.isArray(message) ? (message as readonly JsonValue[]) : [message];
    const entered: RequestId[] = [];
    for (const each of messages) {
      const id = requestIdOf(each);
      if (id === undefined) continue;
      if (this.#ids.has(id)) {
        this.leave(entered);
        return `the id ${JSON.stringify(id)} is that of a request that has no answer yet: nothing was done for this one`;
      }
      this.#ids.add(id);
      entered.push(id);
    }
    this.leave(messages.flatMap((each) => givenUpBy(each) ?? []));
    return entered;
  }

  /** What these requests are owed has been answered, or never will be. */
  leave(ids: readonly RequestId[]): void {
    for (const id of ids) this.#ids.delete(id);
  }
}

function requestIdOf(message: JsonValue): RequestId | undefined {
  if (!isJsonObject(message) || !Object.hasOwn(message, "method")) return undefined;
  return asId(ownValue(message, "id"));
}

/** A request that was given up gets no answer. */
function givenUpBy(message: JsonValue): RequestId | undefined {
  if (!isJsonObject(message) || ownValue(message, "method") !== "notifications/cancelled") return undefined;
  const params = ownValue(message, "params");
  return isJsonObject(params) ? asId(ownValue(params, "requestId")) : undefined;
}

function asId(value: JsonValue | undefined): RequestId | undefined {
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}
