import { strict as assert } from "node:assert";
import { envelopeOf, type Envelope, type RunEvent } from "#salvor/log/events.js";
import { claiming, releasing, settling, together } from "#salvor/store/append-unit.js";
import {
  Conflict,
  ForeignRun,
  StoreUnavailable,
  type AppendUnit,
  type CallHolder,
  type EventStore,
} from "#salvor/store/index.js";
import type { Random } from "./random.js";

/** What became of something that a store was asked to do: it said yes, or nobody knows, and then it is whole or absent. */
type Fate = "asked" | "kept" | "unknown";

interface Unit {
  readonly run: string;
  readonly events: readonly Envelope[];
  readonly unit: AppendUnit;
  fate: Fate;
}

interface Beside {
  readonly run: string;
  readonly value: string;
  fate: Fate;
}

export const RUNS = ["a", "b", "c"].map((name) => `${name.repeat(8)}-0000-4000-8000-000000000000`);
const IDENTITIES = ["one", "two", "three"].map((name) => `identity-${name}`);

/** Asks a store for random changes, remembers what it was told, and compares that with what the store says later. */
export class Witness {
  readonly #random: Random;
  #units: Unit[] = [];
  #leases: Beside[] = [];
  #reports: Beside[] = [];
  #erasures: Beside[] = [];
  readonly #ended = new Set<string>();
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** So many random changes, some of them before others were answered. Never throws for what a store may answer. */
  async work(store: EventStore, steps: number): Promise<void> {
    const open: Promise<void>[] = [];
    for (let step = 0; step < steps; step += 1) {
      open.push(this.#step(store));
      if (this.#random.below(3) > 0) await Promise.all(open.splice(0));
    }
    await Promise.all(open);
  }

  async #step(store: EventStore): Promise<void> {
    const run = this.#pick(RUNS);
    const value = `v${this.#count++}`;
    const kind = this.#random.below(20);
    if (this.#erasures.some((erasure) => erasure.run === run)) return;
    if (kind === 0) {
      await this.#ask(this.#leases, { run, value, fate: "asked" }, () =>
        store.openRun(run, value, { kind: "client", record_prompts: false }),
      );
    } else if (kind === 1 && this.#units.some((unit) => unit.run === run && unit.fate === "kept")) {
      // The first append to a run may still be refused, and then nobody knows the run.
      const report = { seq: this.#count, time: TIME, code: "x", message: value };
      await this.#ask(this.#reports, { run, value, fate: "asked" }, () => store.recordRefusal(run, report));
    } else if (kind === 2 && this.#ended.has(run)) {
      await this.#ask(this.#erasures, { run, value, fate: "asked" }, () => store.erase(run));
    } else if (!this.#ended.has(run)) await this.#append(store, run, value);
  }

  async #append(store: EventStore, run: string, value: string): Promise<void> {
    const first = this.#next(run);
    const ends = first > 6 && this.#random.below(8) === 0;
    const events = Array.from({ length: 1 + this.#random.below(3) }, (_, index) =>
      envelopeOf(run, first + index, TIME, eventAt(run, first + index, `${value}.${index}`)),
    );
    if (ends) {
      events.push(
        envelopeOf(run, first + events.length, TIME, {
          kind: "RunCompleted",
          payload: { output: secretOf(run) },
        }),
      );
    }
    const unit: Unit = { run, events, unit: this.#claims(run, first), fate: "asked" };
    const done = await this.#ask(this.#units, unit, () => store.append(run, events, unit.unit));
    if (done && ends) this.#ended.add(run);
  }

  /** A claim that may be held already, or an end for one that this run holds. */
  #claims(run: string, seq: number): AppendUnit {
    const identity = this.#pick(IDENTITIES);
    const holder = this.#holders().get(identity);
    if (holder?.run_id !== run || holder.settled) return this.#random.coin() ? claiming(identity, seq) : {};
    if (this.#random.below(6) === 0) return settling(identity);
    if (this.#random.coin()) return {};
    // What has failed may be asked for again in the same append.
    return this.#random.coin() ? releasing(identity) : together(releasing(identity), claiming(identity, seq));
  }

  async #ask<T extends { fate: Fate }>(list: T[], item: T, work: () => Promise<unknown>): Promise<boolean> {
    list.push(item);
    try {
      await work();
      item.fate = "kept";
      return true;
    } catch (error) {
      if (error instanceof Conflict || error instanceof ForeignRun) list.splice(list.indexOf(item), 1);
      else if (error instanceof StoreUnavailable) item.fate = "unknown";
      else throw error;
      return false;
    }
  }

  /**
   * Compares a store with what it was seen to promise.
   *
   * @param live whether it is the very process that was asked: it shows nothing that it did not acknowledge.
   */
  async check(store: EventStore, live: boolean): Promise<void> {
    for (const run of RUNS) await this.#checkRun(store, run, live);
    if (!live) this.#settleUnknown();
    const expected = this.#holders();
    for (const identity of IDENTITIES) {
      assert.deepEqual(await store.lookupCall(identity), expected.get(identity), identity);
    }
  }

  async #checkRun(store: EventStore, run: string, live: boolean): Promise<void> {
    const record = await store.readRun(run);
    const log = await store.readLog(run);
    assert.equal(record?.eventCount ?? 0, log.length);
    assert.equal((await store.summary(run))?.eventCount ?? 0, log.length);
    const erasure = this.#erasures.find((each) => each.run === run);
    if (erasure?.fate === "kept") assert.equal(record?.erased, true, "an erased run came back");
    if (record?.erased === true) {
      assert.ok(erasure !== undefined, "a run is erased that nobody erased");
      assert.equal(log.length, 0);
      erasure.fate = "kept";
      return;
    }
    this.#erasures = this.#erasures.filter((each) => each.run !== run || live);
    this.#explain(run, log, live);
    const leases = this.#leases.filter((each) => each.run === run);
    const kept = leases.findLastIndex(({ fate }) => fate === "kept");
    const possible = leases.slice(Math.max(0, kept)).filter(({ fate }) => fate === "kept" || !live);
    const lease = possible.find(({ value }) => value === record?.lease);
    if (kept >= 0 || record?.lease !== undefined) assert.ok(lease, `the lease of ${run} is another one`);
    if (lease !== undefined) lease.fate = "kept";
    const shown = new Set(record?.refusedReports.map(({ message }) => message));
    for (const report of this.#reports.filter((each) => each.run === run)) {
      if (report.fate === "kept") assert.ok(shown.has(report.value), "a kept report is gone");
      if (shown.delete(report.value)) report.fate = "kept";
    }
    assert.equal(shown.size, 0, "a report nobody made");
  }

  /** Every event of the log belongs to a unit that is there as a whole, and every kept unit is there. */
  #explain(run: string, log: readonly Envelope[], live: boolean): void {
    const left = this.#units.filter((unit) => unit.run === run);
    for (let at = 0; at < log.length;) {
      const found = left.findIndex(
        ({ events, fate }) =>
          (fate === "kept" || !live) &&
          JSON.stringify(log.slice(at, at + events.length)) === JSON.stringify(events),
      );
      assert.ok(found >= 0, `nobody was promised what lies at seq ${at} of ${run}`);
      const [unit] = left.splice(found, 1);
      unit!.fate = "kept";
      at += unit!.events.length;
    }
    assert.deepEqual(
      left.filter(({ fate }) => fate === "kept").map(({ events }) => events[0]!.seq),
      [],
      `acknowledged events of ${run} are gone`,
    );
  }

  /** What did not survive a restart never comes back. */
  #settleUnknown(): void {
    const kept = ({ fate }: { fate: Fate }) => fate === "kept";
    this.#units = this.#units.filter(kept);
    this.#leases = this.#leases.filter(kept);
    this.#reports = this.#reports.filter(kept);
    this.#erasures = this.#erasures.filter(kept);
    for (const { run, events } of this.#units) {
      if (events.at(-1)?.event.kind === "RunCompleted") this.#ended.add(run);
    }
  }

  #next(run: string): number {
    const units = this.#units.filter((unit) => unit.run === run && unit.fate !== "unknown");
    return units.reduce((sum, { events }) => sum + events.length, 0);
  }

  /** Who holds which identity once everything that was asked for is done. */
  #holders(): Map<string, CallHolder> {
    const holders = new Map<string, CallHolder>();
    for (const { run, unit, fate } of this.#units) {
      if (fate === "unknown") continue;
      for (const each of unit.identities ?? []) {
        const { identity } = each;
        const held = holders.get(identity);
        if (each.change === "claim") holders.set(identity, { run_id: run, seq: each.seq, settled: false });
        else if (each.change === "release") holders.delete(identity);
        else if (held !== undefined) holders.set(identity, { ...held, settled: true });
      }
    }
    return holders;
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#random.below(from.length)]!;
  }
}

const TIME = "2026-01-01T00:00:00.000Z";

/** A text that lies only in the log of a run. */
export function secretOf(run: string): string {
  return `secret of ${run}`;
}

function eventAt(run: string, seq: number, value: string): RunEvent {
  return seq === 0
    ? { kind: "RunStarted", payload: { agent_def_hash: value, input: secretOf(run) } }
    : { kind: "NowObserved", payload: { now: `${value} ${secretOf(run)}` } };
}
