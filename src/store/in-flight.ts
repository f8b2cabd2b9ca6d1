import { applyChange, unknownRun, type Change, type RunView } from "./changes.js";
import type { CallHolder } from "./event-store.js";
import type { Lookup } from "./judge.js";

interface Counted<T> {
  value: T;
  /** How many changes on their way touch it. */
  users: number;
}

/**
 * The state as it will be when everything on its way is durable: what the next change is judged by, and nobody else sees.
 * When one change fails, all that were judged on top of it fail too.
 */
export class InFlight implements Lookup {
  readonly #durable: Lookup;
  readonly #views = new Map<string, Counted<RunView>>();
  readonly #holders = new Map<string, Counted<CallHolder | undefined>>();

  constructor(durable: Lookup) {
    this.#durable = durable;
  }

  get empty(): boolean {
    return this.#views.size === 0;
  }

  view(run: string): RunView | undefined {
    return this.#views.get(run)?.value ?? this.#durable.view(run);
  }

  holder(identity: string): CallHolder | undefined {
    const ahead = this.#holders.get(identity);
    return ahead === undefined ? this.#durable.holder(identity) : ahead.value;
  }

  /** Puts a change on its way; answers the view after it. */
  add(change: Change): RunView {
    const view = applyChange(this.view(change.run) ?? unknownRun(change.run), change);
    use(this.#views, change.run, view);
    if (change.kind === "append") {
      for (const { identity, seq, settled } of change.held) {
        use(this.#holders, identity, { run_id: change.run, seq, settled });
      }
      for (const identity of change.freed) use(this.#holders, identity, undefined);
    }
    return view;
  }

  /** Takes a change off its way: it is durable, or it never will be. */
  remove(change: Change): void {
    drop(this.#views, change.run);
    if (change.kind !== "append") return;
    for (const { identity } of change.held) drop(this.#holders, identity);
    for (const identity of change.freed) drop(this.#holders, identity);
  }
}

function use<T>(map: Map<string, Counted<T>>, key: string, value: T): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, { value, users: 1 });
  else {
    known.value = value;
    known.users += 1;
  }
}

function drop<T>(map: Map<string, Counted<T>>, key: string): void {
  const known = map.get(key);
  if (known === undefined) return;
  known.users -= 1;
  if (known.users === 0) map.delete(key);
}
