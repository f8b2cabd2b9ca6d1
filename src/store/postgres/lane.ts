import { setImmediate as nextTurn } from "node:timers/promises";
import { StoreUnavailable } from "../errors.js";
import type { Connection } from "./connection.js";
import { isUnavailable, sqlState } from "./errors.js";
import type { Known } from "./known.js";
import { transact } from "./transaction.js";
import type { Outcome, Work } from "./work.js";

/** The most that one transaction takes. */
const MOST = { works: 512, bytes: 8 * 1024 * 1024 };

export interface LaneOptions {
  readonly connection: Connection;
  readonly known: Known;
  /** What was committed can be read now; called before those who asked for it are answered. */
  readonly onCommitted: (outcome: Outcome) => Promise<void>;
  /** How a transaction went: `undefined` when the database took it. */
  readonly onResult: (problem: unknown) => void;
}

/**
 * Works in the order in which they came. Everything that arrives while a transaction is under way
 * goes into the next one: the more are waiting, the more share a round trip and a commit.
 */
export class Lane {
  readonly #options: LaneOptions;
  #waiting: Work[] = [];
  #running: Promise<void> | undefined;
  #begun = 0;
  #lastBatch = 0;
  #underWay = 0;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** How many works wait or are in the transaction that is under way. */
  get load(): number {
    return this.#waiting.length + this.#underWay;
  }

  /** For how long its transaction has been under way, in milliseconds; 0 when none is. */
  get busyFor(): number {
    return this.#running === undefined ? 0 : performance.now() - this.#begun;
  }

  submit(work: Work): void {
    const { connection } = this.#options;
    if (!connection.up) {
      // Nobody waits for a database that is not there: what was not sent can be asked for again.
      work.fail(new StoreUnavailable(connection.reason));
      return;
    }
    this.#waiting.push(work);
    if (this.#running === undefined) this.#begun = performance.now();
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Uses the connection between two transactions. */
  async alone(use: () => Promise<void>): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    const using = use();
    this.#running = using
      .then(ignore, ignore)
      .then(() => this.#run())
      .finally(() => {
        this.#running = undefined;
      });
    await using;
  }

  /** The connection is lost: what has not been sent is refused. */
  refuseWaiting(): void {
    const refusal = new StoreUnavailable(this.#options.connection.reason);
    for (const work of this.#waiting.splice(0)) work.fail(refusal);
  }

  /** Resolves when everything that was submitted has been answered. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    // Those who ask in the same turn share the first transaction too.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      await this.#linger();
      const works = this.#take();
      this.#underWay = works.length;
      await this.#commit(works);
    }
  }

  /** Callers who were just answered come back within a turn or two: waiting for them halves the number of commits. */
  async #linger(): Promise<void> {
    let seen = 0;
    while (this.#waiting.length > seen && this.#waiting.length < this.#lastBatch) {
      seen = this.#waiting.length;
      await nextTurn();
    }
  }

  #take(): readonly Work[] {
    let bytes = 0;
    let count = 0;
    for (const { size } of this.#waiting) {
      bytes += size;
      if (count > 0 && (bytes > MOST.bytes || count >= MOST.works)) break;
      count += 1;
    }
    this.#lastBatch = count;
    return this.#waiting.splice(0, count);
  }

  async #commit(works: readonly Work[]): Promise<void> {
    const { connection, known, onCommitted, onResult } = this.#options;
    this.#begun = performance.now();
    let outcome: Outcome;
    try {
      outcome = await transact(connection, works, known);
    } catch (error) {
      known.forget(works);
      // Whatever state the session is in, the next transaction begins in a new one.
      if (sqlState(error) === undefined && !(error instanceof StoreUnavailable))
        connection.drop("it is made anew");
      if (works.length > 1 && !isUnavailable(error) && !(error instanceof StoreUnavailable)) {
        // What one of them holds cannot be stored; the others must not suffer for it.
        for (const work of works) await this.#commit([work]);
        return;
      }
      onResult(error);
      this.#underWay = 0;
      for (const work of works) work.fail(error);
      return;
    }
    onResult(undefined);
    await onCommitted(outcome);
    this.#underWay = 0;
    for (const [at, work] of works.entries()) {
      const refusal = outcome.refusals[at];
      if (refusal === undefined) work.done();
      else work.fail(refusal);
    }
  }
}

function ignore(): void {
  // Whoever used the connection is told.
}
