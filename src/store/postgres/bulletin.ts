import type { Client, ClientConfig } from "pg";
import { Connection } from "./connection.js";

const EVENTS = "salvor_events";
const DRIVERS = "salvor_drivers";

/** The most entries of one notification: PostgreSQL takes less than 8000 bytes. */
const ENTRIES = 150;

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

  /** One notification is under way at a time; what is told meanwhile goes with the next. */
  #send(): void {
    if (this.#sending) return;
    if (!this.#connection.up) {
      this.#counts.clear();
      this.#drivers.clear();
      return;
    }
    const counts = take(this.#counts.entries(), ENTRIES);
    for (const [run] of counts) this.#counts.delete(run);
    const drivers = take(this.#drivers.values(), ENTRIES);
    for (const run of drivers) this.#drivers.delete(run);
    const said = [
      ...(counts.length > 0 ? [[EVENTS, counts.map(([run, count]) => `${run}:${count}`).join(",")]] : []),
      ...(drivers.length > 0 ? [[DRIVERS, drivers.join(",")]] : []),
    ];
    if (said.length === 0) return;
    this.#sending = true;
    void this.#connection
      .ask({
        name: "tell",
        text: "SELECT pg_notify(channel, said) FROM unnest($1::text[], $2::text[]) AS k(channel, said)",
        values: [said.map(([channel]) => channel), said.map(([, text]) => text)],
      })
      .catch(() => undefined)
      .finally(() => {
        this.#sending = false;
        this.#send();
      });
  }
}

function take<T>(from: Iterable<T>, most: number): T[] {
  const taken: T[] = [];
  for (const each of from) {
    taken.push(each);
    if (taken.length === most) break;
  }
  return taken;
}
