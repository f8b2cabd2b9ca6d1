import { CHAIN_START } from "../log/chain.js";
import { isTerminal } from "../log/fold.js";
import type { AppendChange, Change, HeldIdentity, RunView } from "./changes.js";
import { Conflict, ForeignRun, LeaseLost, NotTerminal, RunErased } from "./errors.js";
import type { AppendUnit, CallHolder, IdentityChange, RefusedReport, RunOwnership } from "./event-store.js";
import { chained, type LoggedEvent, type NewEvent } from "./stored-event.js";

/** How the state looks to one who judges a change. */
export interface Lookup {
  view(run: string): RunView | undefined;
  holder(identity: string): CallHolder | undefined;
}

/** The change that an append makes, in the order in which the port names its refusals. */
export function judgeAppend(
  look: Lookup,
  run: string,
  events: readonly NewEvent[],
  unit: AppendUnit,
): AppendChange {
  const view = look.view(run);
  refuseErased(run, view);
  if (unit.lease !== undefined && unit.lease !== view?.lease) throw new LeaseLost(run);
  const next = view?.state.nextSeq ?? 0;
  checkShape(run, events);
  const first = events[0]?.envelope.seq;
  if (first !== next) {
    throw new Conflict(`position ${first ?? 0} of run ${run} is not the next one: that is ${next}`);
  }
  const outcome = unit.identities && judgeIdentities(look, run, next + events.length, unit.identities);
  return {
    kind: "append",
    run,
    held: outcome?.held ?? NONE,
    freed: outcome?.freed ?? NONE,
    events: chainOf(events, view?.tip ?? CHAIN_START),
  };
}

const NONE: readonly never[] = [];

export function judgeOpen(look: Lookup, run: string, lease: string, ownership: RunOwnership): Change {
  const view = look.view(run);
  refuseErased(run, view);
  if (view !== undefined && view.ownership === undefined) throw new ForeignRun(run);
  return { kind: "open", run, lease, ownership };
}

export function judgeRefusal(look: Lookup, run: string, report: RefusedReport): Change {
  const view = look.view(run);
  refuseErased(run, view);
  if (view === undefined) throw new RangeError(`run ${run} is not known to this store`);
  return { kind: "refusal", run, report };
}

/** `undefined` when the run is erased already. */
export function judgeErase(look: Lookup, run: string): Change | undefined {
  const view = look.view(run);
  if (view?.erased === true) return undefined;
  const status = view?.state.status;
  if (status === undefined || !isTerminal(status)) throw new NotTerminal(run, status?.state ?? "not_started");
  return { kind: "erase", run };
}

function refuseErased(run: string, view: RunView | undefined): void {
  if (view?.erased === true) throw new RunErased(run);
}

function checkShape(run: string, events: readonly NewEvent[]): void {
  const first = events[0]?.envelope;
  if (first === undefined) throw new TypeError(`an append to run ${run} needs at least one event`);
  let index = 0;
  for (const { envelope } of events) {
    const { run_id, seq } = envelope;
    if (run_id !== run || seq !== first.seq + index) {
      throw new TypeError(`event ${index} of an append to run ${run} says run ${run_id}, seq ${seq}`);
    }
    index += 1;
  }
}

/** What becomes of each identity in the end, judged change by change, each on top of those before it. */
function judgeIdentities(look: Lookup, run: string, next: number, changes: readonly IdentityChange[]) {
  const outcome = new Map<string, CallHolder | undefined>();
  const holderOf = (identity: string): CallHolder | undefined =>
    outcome.has(identity) ? outcome.get(identity) : look.holder(identity);
  for (const each of changes) {
    const { identity } = each;
    const holder = holderOf(identity);
    if (each.change === "claim") {
      const { seq } = each;
      if (holder !== undefined) throw new Conflict(`${identity} is held by ${place(holder)}`, holder);
      if (!(Number.isInteger(seq) && seq >= 0 && seq < next)) {
        throw new TypeError(`a claim of run ${run} names seq ${seq}, which the run does not have`);
      }
      outcome.set(identity, { run_id: run, seq, settled: false });
      continue;
    }
    const own = ownHolder(run, identity, holder);
    if (each.change === "settle") outcome.set(identity, { ...own, settled: true });
    else if (own.settled) throw new Conflict(`${identity} is settled for good and cannot be free again`);
    else outcome.set(identity, undefined);
  }
  const held: HeldIdentity[] = [];
  const freed: string[] = [];
  for (const [identity, holder] of outcome) {
    if (holder === undefined) freed.push(identity);
    else held.push({ identity, seq: holder.seq, settled: holder.settled });
  }
  return { held, freed };
}

/** Only the run that holds an identity may settle or free it. */
function ownHolder(run: string, identity: string, holder: CallHolder | undefined): CallHolder {
  if (holder?.run_id === run) return holder;
  const who = holder === undefined ? "nobody" : place(holder);
  throw new Conflict(`${identity} is not held by run ${run} but by ${who}`, holder);
}

function place({ run_id, seq }: CallHolder): string {
  return `the call at seq ${seq} of run ${run_id}`;
}

function chainOf(events: readonly NewEvent[], tip: string): readonly LoggedEvent[] {
  let hash = tip;
  return events.map((event) => {
    const next = chained(event, hash);
    hash = next.hash;
    return next;
  });
}
