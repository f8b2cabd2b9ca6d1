import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { envelopeOf, type Envelope } from "#salvor/log/events.js";
import {
  Conflict,
  DatabaseRefused,
  LeaseLost,
  openPostgresStore,
  SchemaTooNew,
  StoreUnavailable,
  TamperEvident,
  type EventStore,
} from "#salvor/store/index.js";
import { withClient } from "../../support/postgres-store.js";
import { PASSWORD, TestPostgres } from "../../support/postgres.js";

let postgres: TestPostgres;
before(async () => {
  postgres = await TestPostgres.start();
});
after(() => postgres.stop());

const OWNERSHIP = { kind: "client", record_prompts: false } as const;

function event(run: string, seq: number, now = "now"): Envelope {
  const at = new Date(Date.UTC(2026, 0, 1) + seq).toISOString();
  if (seq > 0) return envelopeOf(run, seq, at, { kind: "NowObserved", payload: { now } });
  return envelopeOf(run, 0, at, {
    kind: "RunStarted",
    payload: { agent_def_hash: "sha256:desk", input: null },
  });
}

/** Opens some stores on a new database, and closes them afterwards. */
async function sharing<T>(count: number, use: (stores: EventStore[], url: string) => Promise<T>): Promise<T> {
  const url = await postgres.createDatabase();
  const stores = await Promise.all(Array.from({ length: count }, () => openPostgresStore(url)));
  try {
    return await use(stores, url);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
}

describe("stores that share a database", { concurrency: 2 }, () => {
  it("let one of 32 appends from four of them have a position", async () => {
    await sharing(4, async (stores) => {
      const run = crypto.randomUUID();
      await stores[0]?.append(run, [event(run, 0)]);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 32 }, (_, at) =>
          Promise.resolve(stores[at % 4]?.append(run, [event(run, 1, `racer ${at}`)])),
        ),
      );
      const won = outcomes.flatMap(({ status }, at) => (status === "fulfilled" ? [at] : []));
      assert.equal(won.length, 1);
      for (const outcome of outcomes)
        if (outcome.status === "rejected") assert.ok(outcome.reason instanceof Conflict);
      for (const store of stores)
        assert.deepEqual(await store.readLog(run, 1), [event(run, 1, `racer ${won[0] ?? ""}`)]);
    });
  });

  it("let one of many that make the same new run at once do it, and give an identity to one", async () => {
    await sharing(3, async (stores) => {
      for (let round = 0; round < 10; round += 1) {
        const run = crypto.randomUUID();
        const identity = `sha256:round-${round}`;
        const outcomes = await Promise.allSettled(
          stores.map((store, at) =>
            store
              .append(run, [event(run, 0)], { identities: [{ change: "claim", identity, seq: 0 }] })
              .then(() => at),
          ),
        );
        assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
        const others = stores.map(() => crypto.randomUUID());
        const claims = await Promise.allSettled(
          stores.map((store, at) => {
            const other = others[at] ?? "";
            const claim = { change: "claim", identity: `${identity} too`, seq: 0 } as const;
            return store.append(other, [event(other, 0)], { identities: [claim] });
          }),
        );
        const winner = claims.findIndex(({ status }) => status === "fulfilled");
        for (const [at, claim] of claims.entries()) {
          if (claim.status === "fulfilled") assert.equal(at, winner);
          else assert.equal((claim.reason as Conflict).holder?.run_id, others[winner]);
        }
      }
    });
  });

  it("refuse only what is wrong of many appends that share a transaction", async () => {
    await sharing(1, async ([store]) => {
      assert.ok(store);
      const runs = Array.from({ length: 20 }, () => crypto.randomUUID());
      const outcomes = await Promise.allSettled(
        runs.map((run, at) => store.append(run, [event(run, 0)], at % 3 === 0 ? { lease: "none" } : {})),
      );
      for (const [at, outcome] of outcomes.entries()) {
        if (outcome.status === "rejected") assert.ok(outcome.reason instanceof LeaseLost);
        assert.equal(outcome.status, at % 3 === 0 ? "rejected" : "fulfilled");
        assert.equal((await store.readLog(runs[at] ?? "")).length, at % 3 === 0 ? 0 : 1);
        assert.equal((await store.readRun(runs[at] ?? "")) === undefined, at % 3 === 0);
      }
    });
  });

  it("store what the others can store when the database cannot take one of them", async () => {
    await sharing(1, async ([store]) => {
      assert.ok(store);
      const [good, bad] = [crypto.randomUUID(), crypto.randomUUID()];
      // No text of PostgreSQL holds this character.
      const claim = { change: "claim", identity: "a\u0000b", seq: 0 } as const;
      const [stored, refused] = await Promise.allSettled([
        store.append(good, [event(good, 0)]),
        store.append(bad, [event(bad, 0)], { identities: [claim] }),
      ]);
      assert.deepEqual([stored.status, refused.status], ["fulfilled", "rejected"]);
      assert.equal((await store.readLog(good)).length, 1);
      assert.deepEqual(await store.readLog(bad), []);
    });
  });

  it("show a subscriber of one what another appends, once and in order, mixed with its own", async () => {
    await sharing(2, async ([one, two]) => {
      assert.ok(one && two);
      const run = crypto.randomUUID();
      await one.append(run, [event(run, 0)]);
      const seen: number[] = [];
      const all = new Promise<void>((done) => {
        two.subscribe(run, ({ seq }) => {
          seen.push(seq);
          if (seq === 40) done();
        });
      });
      // Two has never worked on the run: what it delivers begins where it finds the log.
      assert.equal((await two.readLog(run)).length, 1);
      for (let seq = 1; seq <= 40; seq += 1) await (seq % 3 === 0 ? two : one).append(run, [event(run, seq)]);
      await all;
      assert.deepEqual(
        seen,
        Array.from({ length: 40 }, (_, at) => at + 1),
      );
    });
  });

  it("catch up by reading when nobody told them", async () => {
    const url = await postgres.createDatabase();
    const deaf = await openPostgresStore(url, { catchUpMs: 20 });
    const other = await openPostgresStore(url);
    try {
      const run = crypto.randomUUID();
      await other.append(run, [event(run, 0)]);
      const seen: number[] = [];
      const all = new Promise<void>((done) => {
        deaf.subscribe(run, ({ seq }) => {
          seen.push(seq);
          if (seq === 5) done();
        });
      });
      await deaf.readLog(run);
      await withClient(url, async (client) => {
        // Every session that listens is ended, again and again: what is told then is heard by nobody.
        for (let seq = 1; seq <= 5; seq += 1) {
          await client.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%LISTEN%' AND pid <> pg_backend_pid()",
          );
          await other.append(run, [event(run, seq)]);
        }
      });
      await all;
      assert.deepEqual(seen, [1, 2, 3, 4, 5]);
    } finally {
      await Promise.all([deaf.close(), other.close()]);
    }
  });

  it("let one holder perform a call, until it lets go or its time is over by the database's clock", async () => {
    await sharing(2, async ([one, two], url) => {
      assert.ok(one && two);
      const run = crypto.randomUUID();
      assert.equal(await one.holdExecution(run, { seq: 1, holder: "a" }, 60_000), true);
      assert.equal(await two.holdExecution(run, { seq: 1, holder: "b" }, 60_000), false);
      assert.equal(await one.holdExecution(run, { seq: 1, holder: "a" }, 60_000), true);
      assert.deepEqual(await two.execution(run), { seq: 1, holder: "a" });
      await two.releaseExecution(run, { seq: 1, holder: "b" });
      assert.deepEqual(await two.execution(run), { seq: 1, holder: "a" });
      await withClient(url, (client) =>
        client.query("UPDATE salvor.executions SET expires_at = now() - interval '1 s'"),
      );
      assert.equal(await one.execution(run), undefined);
      assert.equal(await two.holdExecution(run, { seq: 1, holder: "b" }, 60_000), true);
      await two.releaseExecution(run, { seq: 1, holder: "b" });
      assert.equal(await one.execution(run), undefined);
    });
  });

  it("hear from each other whose drivers were seen", async () => {
    await sharing(2, async ([one, two]) => {
      const run = crypto.randomUUID();
      const heard = new Promise<string>((tell) => two?.presence?.subscribe(tell));
      one?.presence?.announce(run);
      assert.equal(await heard, run);
    });
  });
});

describe("the tables", { concurrency: 2 }, () => {
  it("refuse to change or lose an event, by hand too", async () => {
    await sharing(1, async ([store], url) => {
      const run = crypto.randomUUID();
      await store?.append(run, [event(run, 0)]);
      await withClient(url, async (client) => {
        for (const text of [
          "UPDATE salvor.events SET seq = 7",
          "DELETE FROM salvor.events",
          "TRUNCATE salvor.events",
        ]) {
          await assert.rejects(client.query(text), /only ever appended/);
        }
      });
      assert.equal((await store?.readLog(run))?.length, 1);
    });
  });

  const damages: readonly (readonly [what: string, text: string, seq: number])[] = [
    ["an event in the middle that is gone", "DELETE FROM salvor.events WHERE seq = 1", 1],
    ["a last event that is gone", "DELETE FROM salvor.events WHERE seq = 3", 3],
    ["a first event that is gone", "DELETE FROM salvor.events WHERE seq = 0", 0],
    [
      "an event that was added",
      "INSERT INTO salvor.events SELECT run, 4, event FROM salvor.events WHERE seq = 3; UPDATE salvor.runs SET next_seq = 5",
      4,
    ],
    ["a flipped bit", "UPDATE salvor.events SET event = replace(event, 'now', 'nov') WHERE seq = 2", 2],
  ];
  for (const [what, text, seq] of damages) {
    it(`give away ${what}, to every server, and nothing is added to that run`, async () => {
      await sharing(2, async ([one, two], url) => {
        assert.ok(one && two);
        const run = crypto.randomUUID();
        for (let at = 0; at < 4; at += 1) await one.append(run, [event(run, at)]);
        await withClient(url, (client) =>
          client.query(`ALTER TABLE salvor.events DISABLE TRIGGER USER; ${text}`),
        );
        await assert.rejects(two.readLog(run), (error) => {
          assert.ok(error instanceof TamperEvident);
          assert.deepEqual([error.run, error.seq], [run, seq]);
          return true;
        });
        await assert.rejects(one.append(run, [event(run, 4)]), TamperEvident);
        assert.equal((await one.summary(run))?.content, undefined);
        assert.equal((await one.summaries()).runs.length, 1);
      });
    });
  }

  it("of a newer version are left alone, and the refusal says what to do", async () => {
    await sharing(1, async (_, url) => {
      await withClient(url, (client) =>
        client.query("INSERT INTO salvor.migrations (version) VALUES (1000)"),
      );
      await assert.rejects(openPostgresStore(url), (error) => {
        assert.ok(error instanceof SchemaTooNew);
        assert.match(error.message, /version 1000.*start the version of salvor that made them/);
        return true;
      });
    });
  });
});

describe("the tables with events in partitions, made as docs/scaling.md says", () => {
  it("hold what they held, and keep every promise", async () => {
    const page = await readFile(
      fileURLToPath(new URL("../docs/scaling.md", import.meta.resolve("salvor"))),
      "utf8",
    );
    const [, statements] = /```sql\n( *BEGIN;[^]*?COMMIT;)\n *```/.exec(page) ?? [];
    assert.ok(statements !== undefined);
    const url = await postgres.createDatabase();
    const run = crypto.randomUUID();
    const before = await openPostgresStore(url);
    await before.append(run, [event(run, 0), event(run, 1)]);
    await before.close();
    await withClient(url, (client) => client.query(statements));
    const store = await openPostgresStore(url);
    try {
      await Promise.all(
        Array.from({ length: 40 }, () => crypto.randomUUID()).map((other) =>
          store.append(other, [event(other, 0)]),
        ),
      );
      await store.append(run, [event(run, 2)]);
      await assert.rejects(store.append(run, [event(run, 2)]), Conflict);
      assert.equal((await store.readLog(run)).length, 3);
      const { rows } = await withClient(url, (client) =>
        client.query<{ used: number }>("SELECT count(DISTINCT tableoid)::int AS used FROM salvor.events"),
      );
      assert.ok((rows[0]?.used ?? 0) > 8);
      for (const change of [
        "DELETE FROM salvor.events",
        "UPDATE salvor.events SET event = ''",
        "TRUNCATE salvor.events",
      ])
        await assert.rejects(
          withClient(url, (client) => client.query(change)),
          /only ever appended/,
        );
      const end = { kind: "RunCompleted", payload: { output: null } } as const;
      await store.append(run, [envelopeOf(run, 3, "2026-01-01T00:00:00.000Z", end)]);
      await store.erase(run);
      assert.deepEqual(await store.readLog(run), []);
    } finally {
      await store.close();
    }
  });
});

describe("a database that cannot be used", () => {
  it("is refused at once when the password is wrong, the database is missing or the URL is none, without the secret", async () => {
    const right = postgres.url("postgres");
    for (const [url, said] of [
      [right.replace(PASSWORD, "wrong-secret"), /password authentication failed/],
      [right.replace("/postgres", "/nowhere"), /"nowhere" does not exist/],
      [`mysql://salvor:${PASSWORD}@127.0.0.1/x`, /no URL of a database/],
      [`postgres://salvor:${PASSWORD}@[::1/x`, /no URL of a database/],
    ] as const) {
      await assert.rejects(openPostgresStore(url), (error) => {
        assert.ok(error instanceof DatabaseRefused, String(error));
        assert.match(error.message, said);
        assert.doesNotMatch(JSON.stringify([error, error.message, error.stack, error.cause]), /secret/);
        return true;
      });
    }
  });

  it("is waited for at the start, and given up with the reason", async () => {
    const nobody = postgres.url("postgres").replace(/:\d+\//, ":1/");
    await assert.rejects(openPostgresStore(nobody, { startTimeoutMs: 300 }), (error) => {
      assert.ok(error instanceof StoreUnavailable);
      assert.match(error.message, /ECONNREFUSED/);
      return true;
    });
  });
});

/** What a store sends when it writes what it knows to be so at once, and when it writes behind locks. */
const SENT_AT_ONCE = "\0write\0";
const SENT_BEHIND_LOCKS = "COMMIT";

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

  async listen(): Promise<number> {
    const server = createServer((client) => {
      const database = connect(postgres.port, "127.0.0.1");
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
async function onWire(
  use: (wire: Wire, store: EventStore, run: string, url: string) => Promise<void>,
): Promise<void> {
  const wire = new Wire();
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

describe("a commit whose answer is lost", () => {
  for (const [how, sign] of [
    ["that was sent at once", SENT_AT_ONCE],
    ["behind locks", SENT_BEHIND_LOCKS],
  ] as const) {
    it(`${how} is recognised as done, and never done twice`, async () => {
      await onWire(async (wire, store, run) => {
        let cuts = 0;
        for (let seq = 0; seq < 12; seq += 1) {
          let armed = seq % 2 === 1;
          wire.cutAfter = (sent) => {
            if (!armed || !sent.includes(sign)) return false;
            armed = false;
            cuts += 1;
            return true;
          };
          const identities = [{ change: "claim", identity: `sha256:${seq}`, seq } as const];
          const appended = store.append(run, [event(run, seq)], { lease: "lease", identities });
          // Nobody is refused for what may be out of date: this one has both judged on locked rows.
          if (sign === SENT_BEHIND_LOCKS)
            await assert.rejects(store.append(run, [event(run, seq + 5)]), Conflict);
          await appended;
        }
        assert.equal(cuts, 6);
        assert.equal((await store.readLog(run)).length, 12);
        assert.deepEqual(await store.lookupCall("sha256:11"), { run_id: run, seq: 11, settled: false });
        assert.deepEqual(store.health, { writable: true });
      });
    });
  }

  it("fails in the database when that begins it only after it was done again", async () => {
    await onWire(async (wire, store, run) => {
      await store.append(run, [event(run, 0)]);
      let armed = true;
      wire.cutBefore = (sent) => {
        const cut = armed && sent.includes(SENT_AT_ONCE);
        if (cut) armed = false;
        return cut;
      };
      await store.append(run, [event(run, 1)], {
        identities: [{ change: "claim", identity: "sha256:late", seq: 1 }],
      });
      assert.equal(armed, false);
      assert.match(await wire.deliver(), /another transaction was first|duplicate key/);
      assert.deepEqual(await store.readLog(run), [event(run, 0), event(run, 1)]);
      await store.append(run, [event(run, 2)]);
    });
  });

  it("fails also when it was refused meanwhile, and what it was refused for is over", async () => {
    await onWire(async (wire, store, run, url) => {
      await store.append(run, [event(run, 0)]);
      const other = crypto.randomUUID();
      await store.append(other, [event(other, 0)]);
      const rival = await openPostgresStore(url);
      try {
        const identities = [{ change: "claim", identity: "sha256:rival", seq: 1 }] as const;
        let armed = true;
        wire.cutBefore = (sent) => {
          const cut = armed && sent.includes(SENT_AT_ONCE);
          if (cut) armed = false;
          return cut;
        };
        wire.meanwhile = () => rival.append(other, [event(other, 1)], { identities });
        await assert.rejects(store.append(run, [event(run, 1)], { identities }), Conflict);
        await rival.append(other, [event(other, 2)], {
          identities: [{ change: "release", identity: "sha256:rival" }],
        });
        assert.match(await wire.deliver(), /duplicate key/);
        assert.equal((await store.readLog(run)).length, 1);
        assert.equal(await store.lookupCall("sha256:rival"), undefined);
      } finally {
        await rival.close();
      }
    });
  });
});

describe("what a store last saw", () => {
  it("is not what it goes by when another one went on since", async () => {
    await sharing(2, async ([one, two]) => {
      assert.ok(one && two);
      const run = crypto.randomUUID();
      const other = crypto.randomUUID();
      await one.openRun(run, "first", OWNERSHIP);
      await one.append(run, [event(run, 0)], { lease: "first" });
      await one.append(other, [event(other, 0)]);
      await one.append(run, [event(run, 1)], {
        lease: "first",
        identities: [{ change: "claim", identity: "sha256:x", seq: 1 }],
      });
      // The lease, the position and the identity are as `one` knows them until here.
      await two.openRun(run, "second", OWNERSHIP);
      await assert.rejects(one.append(run, [event(run, 2)], { lease: "first" }), LeaseLost);
      await one.append(run, [event(run, 2)], { lease: "second" });
      await two.append(run, [event(run, 3)], {
        lease: "second",
        identities: [{ change: "release", identity: "sha256:x" }],
      });
      await assert.rejects(one.append(run, [event(run, 3)], { lease: "second" }), Conflict);
      await one.append(other, [event(other, 1)], {
        identities: [{ change: "claim", identity: "sha256:x", seq: 1 }],
      });
      await assert.rejects(
        two.append(run, [event(run, 4)], {
          identities: [{ change: "claim", identity: "sha256:x", seq: 4 }],
        }),
        Conflict,
      );
      await two.append(run, [event(run, 4)], { lease: "second" });
      assert.equal((await one.readLog(run)).length, 5);
      assert.deepEqual(await two.lookupCall("sha256:x"), { run_id: other, seq: 1, settled: false });
    });
  });
});
