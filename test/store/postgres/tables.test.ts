import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { envelopeOf } from "#salvor/log/events.js";
import { Conflict, openPostgresStore, SchemaTooNew, TamperEvident } from "#salvor/store/index.js";
import { withClient } from "../../support/postgres-store.js";
import { TestPostgres } from "../../support/postgres.js";
import { event, sharing } from "./sharing.js";

let postgres: TestPostgres;
before(async () => {
  postgres = await TestPostgres.start();
});
after(() => postgres.stop());

describe("the tables", { concurrency: 2 }, () => {
  it("refuse to change or lose an event, by hand too", async () => {
    await sharing(postgres, 1, async ([store], url) => {
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
      await sharing(postgres, 2, async ([one, two], url) => {
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
    await sharing(postgres, 1, async (_, url) => {
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
