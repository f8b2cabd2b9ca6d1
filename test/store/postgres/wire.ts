import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { openPostgresStore, type EventStore } from "#salvor/store/index.js";
import type { TestPostgres } from "../../support/postgres.js";
import { OWNERSHIP } from "./sharing.js";

/** What a store sends when it writes what it knows to be so at once, and when it writes behind locks. */
export const SENT_AT_ONCE = "\0write-";
export const SENT_BEHIND_LOCKS = "COMMIT";

/** Stands between a store and PostgreSQL. */
class Wire {
  readonly #sockets = new Set<Socket>();
  /** Called with everything the store sends; true cuts the connection once PostgreSQL has it, before its answer is passed on. */
  cutAfter: (sent: Buffer) => boolean = () => false;
  /** The same, but PostgreSQL gets it only when {@link deliver} is called. */
  cutBefore: (sent: Buffer) => boolean = () => false;
  /** What happens before the store notices that. */
  meanwhile: () => Promise<void> = () => Promise.resolve();
  /** Lets PostgreSQL have what was held back; resolves with its answer. */
  deliver: () => Promise<string> = () => Promise.resolve("");

  /** @param port where PostgreSQL listens. */
  constructor(private readonly port: number) {}

  async listen(): Promise<number> {
    const server = createServer((client) => {
      const database = connect(this.port, "127.0.0.1");
      let deaf = false;
      let held = false;
      for (const socket of [client, database]) {
        this.#sockets.add(socket);
        socket.on("error", () => undefined);
        socket.on("close", () => {
          client.destroy();
          // What was sent reaches PostgreSQL; it is only that nobody hears the answer.
          if (!held) database.end();
        });
      }
      client.on("data", (sent: Buffer) => {
        if (this.cutBefore(sent)) {
          held = true;
          deaf = true;
          this.deliver = async () => {
            const answered = once(database, "data") as Promise<[Buffer]>;
            database.write(sent);
            const [answer] = await answered;
            database.destroy();
            return answer.toString("latin1");
          };
          void this.meanwhile().then(() => client.destroy());
          return;
        }
        database.write(sent);
        if (!this.cutAfter(sent)) return;
        deaf = true;
        database.once("data", () => client.destroy());
      });
      database.on("data", (answer: Buffer) => {
        if (!deaf) client.write(answer);
      });
    });
    server.listen(0, "127.0.0.1").unref();
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** A store behind a wire, with a run. */
export async function onWire(
  postgres: TestPostgres,
  use: (wire: Wire, store: EventStore, run: string, url: string) => Promise<void>,
): Promise<void> {
  const wire = new Wire(postgres.port);
  const port = await wire.listen();
  const url = await postgres.createDatabase();
  const store = await openPostgresStore(url.replace(`:${postgres.port}/`, `:${port}/`));
  try {
    const run = crypto.randomUUID();
    assert.deepEqual(await store.openRun(run, "lease", OWNERSHIP), { fresh: true });
    await use(wire, store, run, url);
  } finally {
    await store.close();
    wire.close();
  }
}
