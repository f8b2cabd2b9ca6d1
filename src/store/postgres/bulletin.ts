import { setTimeout as wait } from "node:timers/promises";
import type { Client, ClientConfig } from "pg";
import { Connection } from "./connection.js";

const EVENTS = "salvor_events";
const DRIVERS = "salvor_drivers";

/** The most entries of one notification: PostgreSQL takes less than 8000 bytes. */
const ENTRIES = 150;

/**
 * How long after one question the next one is sent, in milliseconds. What is told first is told at once; of a run that goes on
 * meanwhile only the last count is told, so that a busy server does not tell everybody of every append.
 */
const PAUSE_MS = 10;

export interface BulletinOptions {
  readonly config: ClientConfig;
  /** A run has this many events. */
  readonly onCount: (run: string, count: number) => void;
  /** A run's driver was seen by some server. */
  readonly onDriver: (run: string) => void;
  /** It listens (again): what was said before was not heard. */
  readonly onUp: () => void;
}

/**
 * What servers on one database tell each other: how far runs have come, and whose drivers were seen. Told after the commit
 * and outside its transaction, because PostgreSQL lets only one transaction at a time commit with a notification. So it may be lost:
 * it saves waiting, and nothing depends on it.
 */
export class Bulletin {
  readonly #connection: Connection;
  readonly #counts = new Map<string, number>();
  readonly #drivers = new Set<string>();
  #sending = false;

  constructor({ config, onCount, onDriver, onUp }: BulletinOptions) {
    this.#connection = new Connection({
      config,
      onUp,
      prepare: async (client: Client) => {
        client.on("notification", ({ channel, payload = "" }) => {
          for (const entry of payload.split(",")) {
            const [run = "", count] = entry.split(":");
            if (channel === DRIVERS) onDriver(run);
            else onCount(run, Number(count));
          }
        });
        // A notification that is lost in a crash of the database is heard by nobody anyway.
        await client.query(`SET synchronous_commit TO off; LISTEN ${EVENTS}; LISTEN ${DRIVERS}`);
      },
    });
  }

  start(): Promise<void> {
    return this.#connection.start();
  }

  tellCount(run: string, count: number): void {
    this.#counts.set(run, Math.max(count, this.#counts.get(run) ?? 0));
    this.#send();
  }

  tellDriver(run: string): void {
    this.#drivers.add(run);
    this.#send();
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** One question is under way at a time; what is told meanwhile, and a little longer, goes with the next. */
  #send(): void {
    if (this.#sending) return;
    if (!this.#connection.up) {
      this.#counts.clear();
      this.#drivers.clear();
      return;
    }
    const said = [
      ...chunks(
        EVENTS,
        [...this.#counts].map(([run, count]) => `${run}:${count}`),
      ),
      ...chunks(DRIVERS, [...this.#drivers]),
    ];
    if (said.length === 0) return;
    this.#counts.clear();
    this.#drivers.clear();
    this.#sending = true;
    void this.#tell(said).finally(() => {
      this.#sending = false;
      this.#send();
    });
  }

  async #tell(said: readonly Notification[]): Promise<void> {
    const asked = this.#connection.ask({
      name: "tell",
      text: "SELECT pg_notify(channel, said) FROM unnest($1::text[], $2::text[]) AS k(channel, said)",
      values: [said.map(({ channel }) => channel), said.map(({ text }) => text)],
    });
    await Promise.all([asked.catch(() => undefined), wait(PAUSE_MS, undefined, { ref: false })]);
  }
}

/** What one notification says, and where. */
interface Notification {
  readonly channel: string;
  readonly text: string;
}

function chunks(channel: string, entries: readonly string[]): readonly Notification[] {
  const found: Notification[] = [];
  for (let at = 0; at < entries.length; at += ENTRIES)
    found.push({ channel, text: entries.slice(at, at + ENTRIES).join(",") });
  return found;
}
