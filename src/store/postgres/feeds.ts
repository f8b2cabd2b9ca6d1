import type { Envelope } from "../../log/events.js";
import type { StoredEvent } from "../stored-event.js";
import { callSafely } from "../subscriptions.js";

/** Where the events are that a feed has not delivered. */
export interface FeedSource {
  /** How many events each run has, of those that have any. */
  counts(runs: readonly string[]): Promise<ReadonlyMap<string, number>>;
  readLog(run: string, from: number, limit: number): Promise<readonly Envelope[]>;
}

interface Feed {
  readonly listeners: Set<(envelope: Envelope) => void>;
  /** The position that is delivered next; unknown until the database has said how long the log is. */
  next: number | undefined;
  /** The lowest position that became durable while it was unknown. */
  earliest: number;
  /** The highest position known to be durable, and whether it is being read. */
  wanted: number;
  pumping: boolean;
  begun: Promise<void>;
}

/** How many events are read at once. */
const PAGE = 64;

/**
 * Who listens to which run, whichever server appends to it. What this server appends is delivered at once; what others do
 * is read when they tell. Positions decide what is next, so nothing is delivered twice, out of order, or left out, and
 * hearing of a position late or twice does no harm.
 */
export class Feeds {
  readonly #feeds = new Map<string, Feed>();

  constructor(private readonly source: FeedSource) {}

  get runs(): readonly string[] {
    return [...this.#feeds.keys()];
  }

  /** Whether anybody listens to a run. */
  has(run: string): boolean {
    return this.#feeds.has(run);
  }

  /** @param known the position that comes next, as far as this server knows. */
  add(run: string, known: number | undefined, listener: (envelope: Envelope) => void): () => void {
    const feed = this.#feeds.get(run) ?? this.#begin(run, known);
    // The same function may listen twice; each time is its own.
    const own = (envelope: Envelope): void => {
      listener(envelope);
    };
    feed.listeners.add(own);
    return () => {
      feed.listeners.delete(own);
      if (feed.listeners.size === 0 && this.#feeds.get(run) === feed) this.#feeds.delete(run);
    };
  }

  /** Resolves once it is known where the feed of a run begins: nobody reads an older log than that. */
  async begun(run: string): Promise<void> {
    await this.#feeds.get(run)?.begun;
  }

  /** This server has appended events. */
  async publish(run: string, events: readonly StoredEvent[]): Promise<void> {
    const feed = this.#feeds.get(run);
    const first = events[0]?.envelope.seq;
    if (feed === undefined || first === undefined) return;
    feed.earliest = Math.min(feed.earliest, first);
    if (feed.next === undefined) await feed.begun;
    for (const { envelope } of events) deliver(feed, envelope);
    // What lies between was appended by another server.
    this.notice(run, first + events.length);
  }

  /** A run has this many events, as somebody says. */
  notice(run: string, count: number): void {
    const feed = this.#feeds.get(run);
    if (feed === undefined || count <= feed.wanted) return;
    feed.wanted = count;
    void this.#pump(run, feed);
  }

  /** Asks how long the logs are that somebody listens to: what was not heard is read. */
  async catchUp(): Promise<void> {
    const { runs } = this;
    if (runs.length === 0) return;
    const counts = await this.source.counts(runs);
    for (const [run, count] of counts) this.notice(run, count);
    // What was noticed and could not be read then.
    for (const [run, feed] of this.#feeds) void this.#pump(run, feed);
  }

  clear(): void {
    this.#feeds.clear();
  }

  #begin(run: string, known: number | undefined): Feed {
    const feed: Feed = {
      listeners: new Set(),
      next: known,
      earliest: Number.POSITIVE_INFINITY,
      wanted: known ?? 0,
      pumping: false,
      begun: Promise.resolve(),
    };
    this.#feeds.set(run, feed);
    if (known === undefined) feed.begun = this.#findBeginning(run, feed);
    return feed;
  }

  async #findBeginning(run: string, feed: Feed): Promise<void> {
    let count = Number.POSITIVE_INFINITY;
    try {
      count = (await this.source.counts([run])).get(run) ?? 0;
    } catch {
      // Without an answer the feed begins with the first event that is heard of.
    }
    const next = Math.min(count, feed.earliest);
    if (next !== Number.POSITIVE_INFINITY) feed.next ??= next;
    void this.#pump(run, feed);
  }

  async #pump(run: string, feed: Feed): Promise<void> {
    if (feed.pumping || feed.next === undefined || feed.next >= feed.wanted) return;
    feed.pumping = true;
    try {
      while (feed.next < feed.wanted && this.#feeds.get(run) === feed) {
        const page = await this.source.readLog(run, feed.next, PAGE);
        if (page.length === 0) return;
        for (const envelope of page) deliver(feed, envelope);
      }
    } catch {
      // The next notice, or the next time that everybody catches up, reads it again.
    } finally {
      feed.pumping = false;
    }
  }
}

function deliver(feed: Feed, envelope: Envelope): void {
  feed.next ??= envelope.seq;
  if (envelope.seq !== feed.next) return;
  feed.next += 1;
  feed.wanted = Math.max(feed.wanted, feed.next);
  for (const listener of [...feed.listeners]) callSafely(listener, envelope);
}
