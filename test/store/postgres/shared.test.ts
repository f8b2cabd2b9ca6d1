import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Conflict, LeaseLost, openPostgresStore } from "#salvor/store/index.js";
import { withClient } from "../../support/postgres-store.js";
import { TestPostgres } from "../../support/postgres.js";
import { event, OWNERSHIP, sharing } from "./sharing.js";

let postgres: TestPostgres;
before(async () => {
  postgres = await TestPostgres.start();
});
after(() => postgres.stop());

describe("stores that share a database", { concurrency: 2 }, () => {
  it("let one of 32 appends from four of them have a position", async () => {
    await sharing(postgres, 4, async (stores) => {
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
    await sharing(postgres, 3, async (stores) => {
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
    await sharing(postgres, 1, async ([store]) => {
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
    await sharing(postgres, 1, async ([store]) => {
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
    await sharing(postgres, 2, async ([one, two]) => {
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

  it("tell each other of more runs than one notification holds", async () => {
    const url = await postgres.createDatabase();
    const one = await openPostgresStore(url);
    // Nothing but what it is told makes this one look.
    const two = await openPostgresStore(url, { catchUpMs: 3_600_000 });
    try {
      const runs = Array.from({ length: 400 }, () => crypto.randomUUID());
      const waiting = new Set(runs);
      const all = new Promise<void>((done) => {
        for (const run of runs)
          two.subscribe(run, () => {
            waiting.delete(run);
            if (waiting.size === 0) done();
          });
      });
      await Promise.all(runs.map((run) => two.readLog(run)));
      await Promise.all(runs.map((run) => one.append(run, [event(run, 0)])));
      await all;
      assert.equal(waiting.size, 0);
    } finally {
      await Promise.all([one.close(), two.close()]);
    }
  });

  it("let one holder perform a call, until it lets go or its time is over by the database's clock", async () => {
    await sharing(postgres, 2, async ([one, two], url) => {
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
    await sharing(postgres, 2, async ([one, two]) => {
      const run = crypto.randomUUID();
      const heard = new Promise<string>((tell) => two?.presence?.subscribe(tell));
      one?.presence?.announce(run);
      assert.equal(await heard, run);
    });
  });
});

describe("what a store last saw", () => {
  it("is not what it goes by when another one went on since", async () => {
    await sharing(postgres, 2, async ([one, two]) => {
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
