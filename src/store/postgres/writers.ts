import type { ClientConfig } from "pg";
import type { Change } from "../changes.js";
import type { StoreHealth } from "../event-store.js";
import type { Lookup } from "../judge.js";
import type { Connection } from "./connection.js";
import { writingConnection } from "./connections.js";
import { messageOf } from "./errors.js";
import { Lane } from "./lane.js";
import { Known } from "./known.js";
import { asError } from "../write-layer.js";
import type { Outcome } from "./work.js";

export interface WritersOptions {
  readonly lanes: number;
  readonly onNews: (news: string) => void;
  readonly onCommitted: (outcome: Outcome) => Promise<void>;
}

/** How often a database that refuses writes is tried again, and how often what is not needed any more goes, in milliseconds. */
const PROBE_MS = 1000;
const PRUNE_MS = 600_000;

/** The lane that works of a run are in, and how many of them. */
interface Place {
  readonly lane: Lane;
  works: number;
}

/**
 * So many works share a lane before the next one is used: a commit is cheap for each of them by then, and while one lane's
 * transaction is in the database, this process answers and judges those of another.
 */
const FULL = 32;

/** A lane whose transaction takes longer than this many milliseconds is held up: another one has locked a run, or the disk is slow. */
const HELD_UP_MS = 50;

/** Everything that changes the database. */
export class Writers {
  readonly #known = new Known();
  readonly #lanes: readonly { readonly lane: Lane; readonly connection: Connection }[];
  readonly #places = new Map<string, Place>();
  readonly #onNews: (news: string) => void;
  readonly #ticker: NodeJS.Timeout;
  /** Why the last transaction failed, as long as no later one went well. */
  #problem: string | undefined;
  #pruned = performance.now();

  constructor(config: ClientConfig, { lanes, onNews, onCommitted }: WritersOptions) {
    this.#onNews = onNews;
    this.#lanes = Array.from({ length: lanes }, () => {
      const connection = writingConnection(config, {
        onUp: () => {
          this.#onNews("the database answers");
        },
        onDown: (reason) => {
          lane.refuseWaiting();
          this.#onNews(`the database is lost: ${reason}`);
        },
      });
      const lane: Lane = new Lane({
        connection,
        known: this.#known,
        onCommitted: async (outcome) => {
          this.#known.keep(outcome);
          await onCommitted(outcome);
        },
        onResult: (problem) => {
          this.#problem = problem === undefined ? undefined : messageOf(problem);
        },
      });
      return { lane, connection };
    });
    this.#ticker = setInterval(() => {
      this.#tick();
    }, PROBE_MS).unref();
  }

  async start(): Promise<void> {
    await Promise.all(this.#lanes.map(({ connection }) => connection.start()));
  }

  /** Has a change judged on what the database says, and made, as one transaction with others. */
  change(
    run: string,
    judge: (look: Lookup) => Change | undefined,
    { identities = [], size = 0 }: { readonly identities?: readonly string[]; readonly size?: number },
  ): Promise<void> {
    const place = this.#placeOf(run);
    place.works += 1;
    this.#places.set(run, place);
    const left = (): void => {
      place.works -= 1;
      if (place.works === 0) this.#places.delete(run);
    };
    return new Promise<void>((resolve, reject) => {
      const done = (): void => {
        left();
        resolve();
      };
      const fail = (error: unknown): void => {
        left();
        reject(asError(error));
      };
      place.lane.submit({ run, identities, size, judge, done, fail });
    });
  }

  /** The position that comes next in a run, as far as this server knows. */
  nextOf(run: string): number | undefined {
    return this.#known.view(run)?.state.nextSeq;
  }

  get health(): StoreHealth {
    const down = this.#lanes.find(({ connection }) => !connection.up);
    if (down !== undefined) return { writable: false, reason: down.connection.reason };
    return this.#problem === undefined ? { writable: true } : { writable: false, reason: this.#problem };
  }

  /** Lets what is under way finish first. */
  async close(): Promise<void> {
    clearInterval(this.#ticker);
    await Promise.all(this.#lanes.map(({ lane }) => lane.idle()));
    await Promise.all(this.#lanes.map(({ connection }) => connection.close()));
  }

  /**
   * The lane for a run: the one that has works of it, so that they keep their order, else the first one that is not full, or
   * the one with the least to do. Those that are held up are left alone.
   */
  #placeOf(run: string): Place {
    const place = this.#places.get(run);
    if (place !== undefined) return place;
    let chosen: Lane | undefined;
    for (const { lane, connection } of this.#lanes) {
      if (!connection.up || lane.busyFor >= HELD_UP_MS) continue;
      if (lane.load < FULL) return { lane, works: 0 };
      if (chosen === undefined || lane.load < chosen.load) chosen = lane;
    }
    chosen ??= this.#lanes[0]?.lane;
    if (chosen === undefined) throw new RangeError("a store needs at least one lane");
    return { lane: chosen, works: 0 };
  }

  #tick(): void {
    const now = performance.now();
    const prune = now - this.#pruned > PRUNE_MS;
    if (prune) this.#pruned = now;
    if (!prune && this.#problem === undefined) return;
    void this.#probe();
  }

  /** Sees whether the database can be written, and takes away what is not needed any more. */
  async #probe(): Promise<void> {
    const [first] = this.#lanes;
    if (first?.connection.up !== true) return;
    try {
      const connection = first.connection;
      // On the lane's connection it would end up inside a transaction of others: the lane is asked to wait.
      await first.lane.alone(async () => {
        await connection.ask({
          text: `WITH old AS (DELETE FROM salvor.commits WHERE at < now() - interval '1 hour'),
            gone AS (DELETE FROM salvor.executions WHERE expires_at < now() - interval '1 hour')
            INSERT INTO salvor.commits (id) VALUES (gen_random_uuid())`,
        });
      });
      this.#problem = undefined;
    } catch (error) {
      this.#problem = messageOf(error);
    }
  }
}
