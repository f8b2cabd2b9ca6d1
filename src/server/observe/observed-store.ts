import type { Envelope } from "../../log/events.js";
import type { EventStore } from "../../store/event-store.js";

/** What happens around an append: `write` must be called once, and its failure passed on. */
export type AroundAppend = (
  run: string,
  events: readonly Envelope[],
  write: () => Promise<void>,
) => Promise<void>;

/** A store whose appends are watched; whatever else it can do passes through. */
export function observed(store: EventStore, around: AroundAppend): EventStore {
  const append: EventStore["append"] = (run, events, unit) =>
    around(run, events, () => store.append(run, events, unit));
  const methods = new Map<string | symbol, unknown>([["append", append]]);
  return new Proxy(store, {
    get(target, key) {
      const known = methods.get(key);
      if (known !== undefined) return known;
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function") return member;
      const method = (member as () => unknown).bind(target);
      methods.set(key, method);
      return method;
    },
  });
}
