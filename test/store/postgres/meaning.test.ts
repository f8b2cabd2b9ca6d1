import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { envelopeOf, type Envelope } from "#salvor/log/events.js";
import type { PendingCall } from "#salvor/log/fold.js";
import { openPostgresStore, TamperEvident, type RunSummary } from "#salvor/store/index.js";
import { withClient } from "../../support/postgres-store.js";
import { TestPostgres } from "../../support/postgres.js";
import { toVersion2 } from "./older-tables.js";
import { event, OWNERSHIP, sharing } from "./sharing.js";

let postgres: TestPostgres;
before(async () => {
  postgres = await TestPostgres.start();
});
after(() => postgres.stop());

const STAMP = "2026-01-01T00:00:00.000Z";

/** A start, then calls and their answers in turns. */
function call(run: string, seq: number): Envelope {
  if (seq === 0) return event(run, 0);
  if (seq % 2 === 0)
    return envelopeOf(run, seq, STAMP, {
      kind: "ToolCallCompleted",
      payload: { seq: seq - 1, output: { line: "one\ntwo" } },
    });
  return envelopeOf(run, seq, STAMP, {
    kind: "ToolCallRequested",
    payload: {
      seq,
      tool: "refund",
      input: { order: `order ${seq}`, note: 'a "quote", a \\ and a\nbreak' },
      effect: "write",
      idempotency_key: null,
      performed_by: "client",
    },
  });
}

describe("what a log means", { concurrency: 2 }, () => {
  it("is the same for a server that never saw the run, at every length", async () => {
    await sharing(postgres, 2, async ([one, two], url) => {
      assert.ok(one && two);
      const run = crypto.randomUUID();
      await one.openRun(run, "lease", OWNERSHIP);
      let behind = 0;
      for (let seq = 0; seq < 40; seq += 1) {
        await one.append(run, [call(run, seq)]);
        const summary: RunSummary | undefined = await two.summary(run);
        const pending: PendingCall | null | undefined = summary?.content?.pending;
        assert.equal(summary?.eventCount, seq + 1);
        assert.equal(pending?.seq, seq % 2 === 1 ? seq : undefined);
        assert.equal(summary.content?.agentDefHash, "sha256:desk");
        assert.equal(summary.content.clientOwned, true);
        assert.deepEqual((await two.summaries()).runs, [summary]);
        if (pending?.kind === "tool")
          assert.deepEqual(pending.input, {
            order: `order ${seq}`,
            note: 'a "quote", a \\ and a\nbreak',
          });
        const { rows } = await withClient(url, (client) =>
          client.query<{ known: number }>("SELECT coalesce(meaning_seq, next_seq) AS known FROM salvor.runs"),
        );
        behind = Math.max(behind, seq + 1 - (rows[0]?.known ?? 0));
        // Nobody has to read many events to know what a run means, and not every append writes it.
        assert.ok(behind < 16);
      }
      assert.ok(behind > 0);
      await two.append(run, [call(run, 40)]);
      await one.append(run, [call(run, 41)]);
      assert.equal((await one.readLog(run)).length, 42);
    });
  });

  it("is written with the event that ends a run", async () => {
    await sharing(postgres, 2, async ([one, two], url) => {
      assert.ok(one && two);
      const run = crypto.randomUUID();
      for (let seq = 0; seq < 3; seq += 1) await one.append(run, [call(run, seq)]);
      const end = { kind: "RunCompleted", payload: { output: "paid" } } as const;
      await one.append(run, [envelopeOf(run, 3, STAMP, end)]);
      const { rows } = await withClient(url, (client) =>
        client.query("SELECT meaning_seq, meaning LIKE '%paid%' AS says FROM salvor.runs"),
      );
      assert.deepEqual(rows, [{ meaning_seq: null, says: true }]);
      assert.deepEqual((await two.summary(run))?.content?.status, { state: "completed", output: "paid" });
    });
  });

  const damages: readonly (readonly [what: string, text: string])[] = [
    ["was changed", "UPDATE salvor.events SET event = replace(event, 'order 3', 'order 4') WHERE seq = 3"],
    ["is gone", "DELETE FROM salvor.events WHERE seq = 3"],
    ["and all behind it are gone", "DELETE FROM salvor.events WHERE seq >= 3"],
  ];
  for (const [what, text] of damages) {
    it(`is not told, nor gone by, where an event that it is read from ${what}`, async () => {
      await sharing(postgres, 2, async ([one, two], url) => {
        assert.ok(one && two);
        const [run, other] = [crypto.randomUUID(), crypto.randomUUID()];
        for (let seq = 0; seq < 6; seq += 1) await one.append(run, [call(run, seq)]);
        await one.append(other, [call(other, 0)]);
        await withClient(url, (client) =>
          client.query(`ALTER TABLE salvor.events DISABLE TRIGGER USER; ${text}`),
        );
        assert.equal((await two.summary(run))?.content, undefined);
        const listed = (await two.summaries()).runs.map((each) => [each.run, each.content !== undefined]);
        assert.deepEqual(
          new Map(listed as [string, boolean][]),
          new Map([
            [run, false],
            [other, true],
          ]),
        );
        const outcomes = await Promise.allSettled([
          two.append(run, [call(run, 6)]),
          two.append(other, [call(other, 1)]),
        ]);
        assert.deepEqual(
          outcomes.map(({ status }) => status),
          ["rejected", "fulfilled"],
        );
        assert.ok(outcomes[0].status === "rejected" && outcomes[0].reason instanceof TamperEvident);
      });
    });
  }
});

describe("tables of version 2", () => {
  it("are brought to this version with everything in them, and gone on with", async () => {
    const url = await postgres.createDatabase();
    const [long, opened, ended] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
    const first = await openPostgresStore(url);
    await first.openRun(opened, "lease", OWNERSHIP);
    await first.append(
      long,
      Array.from({ length: 20 }, (_, seq) => call(long, seq)),
      { identities: [{ change: "claim", identity: "sha256:held", seq: 19 }] },
    );
    await first.append(ended, [
      call(ended, 0),
      envelopeOf(ended, 1, STAMP, { kind: "RunCompleted", payload: { output: 1 } }),
    ]);
    const before = (await first.summaries()).runs;
    await first.close();
    await toVersion2(url);
    await assert.rejects(openPostgresStore(url, { create: false }), /of version 2.*brings them to version/);

    const store = await openPostgresStore(url);
    try {
      assert.deepEqual((await store.summaries()).runs, before);
      assert.deepEqual(await store.lookupCall("sha256:held"), { run_id: long, seq: 19, settled: false });
      await store.append(long, [call(long, 20)], {
        identities: [{ change: "settle", identity: "sha256:held" }],
      });
      await store.append(long, [call(long, 21)]);
      await store.append(opened, [call(opened, 0)], { lease: "lease" });
      assert.equal((await store.readLog(long)).length, 22);
      assert.equal((await store.summary(long))?.content?.pending?.seq, 21);
      await store.erase(ended);
      assert.deepEqual(await store.readLog(ended), []);
    } finally {
      await store.close();
    }
  });
});
