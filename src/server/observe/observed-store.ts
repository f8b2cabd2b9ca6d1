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
  /** Bound once each, not at every use; found by the method itself, so that what a store changes counts. */
  const bound = new WeakMap<object, unknown>();
  return new Proxy(store, {
    get(target, key) {
      if (key === "append") return append;
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function") return member;
      const known = bound.get(member);
      if (known !== undefined) return known;
      const method: unknown = (member as () => unknown).bind(target);
      bound.set(member, method);
      return method;
    },
  });
}
