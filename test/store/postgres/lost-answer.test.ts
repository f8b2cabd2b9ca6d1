import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Conflict, openPostgresStore } from "#salvor/store/index.js";
import { TestPostgres } from "../../support/postgres.js";
import { event } from "./sharing.js";
import { onWire, SENT_AT_ONCE, SENT_BEHIND_LOCKS } from "./wire.js";

let postgres: TestPostgres;
before(async () => {
  postgres = await TestPostgres.start();
});
after(() => postgres.stop());

describe("a commit whose answer is lost", () => {
  for (const [how, sign] of [
    ["that was sent at once", SENT_AT_ONCE],
    ["behind locks", SENT_BEHIND_LOCKS],
  ] as const) {
    it(`${how} is recognised as done, and never done twice`, async () => {
      await onWire(postgres, async (wire, store, run) => {
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
    await onWire(postgres, async (wire, store, run) => {
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
    await onWire(postgres, async (wire, store, run, url) => {
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
