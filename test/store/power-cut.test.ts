import { strict as assert } from "node:assert";
import { describe, it } from "node:test";
import fc from "fast-check";
import { StoreUnavailable, type EventStore } from "#salvor/store/index.js";
import { MemoryDisk } from "./disk/memory-disk.js";
import { Random } from "./disk/random.js";
import { sessionOn, type Session } from "./disk/sessions.js";
import { Witness } from "./disk/witness.js";

/** Opens, checks, works and closes, until the machine stops or all is done. */
async function live(session: Session, witness: Witness, steps: number): Promise<void> {
  let store: EventStore | undefined;
  try {
    store = await session.open();
    await witness.check(store, false);
    await witness.work(store, steps);
    if (!session.layer.stopped) await witness.check(store, true);
  } catch (error) {
    // Nothing but the stop may go wrong.
    if (!session.layer.stopped) throw error;
    if (error instanceof assert.AssertionError) throw error;
  } finally {
    await store?.close().catch(ignore);
  }
}

function ignore(): void {
  // The machine has stopped.
}

describe("a power cut", () => {
  it("loses nothing that was acknowledged, and leaves nothing half there, wherever it hits", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const random = new Random(seed);
        const disk = new MemoryDisk();
        const witness = new Witness(random);
        for (let round = 0; round < 6; round += 1) {
          const last = random.below(150);
          const idleMs = random.coin() ? 1 : 1_000_000;
          const session = sessionOn(
            disk,
            random,
            ({ number }) => (number === last ? "stops" : "works"),
            idleMs,
          );
          await live(session, witness, 20);
          if (random.coin()) disk.cutPower(random);
        }
        const store = await sessionOn(disk, random).open();
        await witness.check(store, false);
        await store.close();
      }),
      { numRuns: process.env.SALVOR_SOAK === undefined ? 60 : 1000 },
    );
  });

  it("can hit at every single operation of a short life, and of the recovery after it", async () => {
    const count = async (seed: number): Promise<number> => {
      const random = new Random(seed);
      const session = sessionOn(new MemoryDisk(), random);
      await live(session, new Witness(random), 12);
      return session.layer.count;
    };
    const total = await count(1);
    assert.ok(total > 100);
    for (let at = 0; at <= total; at += 1) {
      for (const power of [false, true]) {
        const random = new Random(1);
        const disk = new MemoryDisk();
        const witness = new Witness(random);
        await live(
          sessionOn(disk, random, ({ number }) => (number === at ? "stops" : "works")),
          witness,
          12,
        );
        const chance = new Random(at);
        if (power) disk.cutPower(chance);
        const again = chance.below(60);
        await live(
          sessionOn(disk, chance, ({ number }) => (number === again ? "stops" : "works")),
          witness,
          2,
        );
        if (power) disk.cutPower(chance);
        await live(sessionOn(disk, chance), witness, 2);
      }
    }
  });

  it("takes nothing back that a process left in the cache when it was killed, and that the next one saw", async () => {
    for (let at = 0; at <= 120; at += 1) {
      const random = new Random(2);
      const disk = new MemoryDisk();
      const witness = new Witness(random);
      await live(sessionOn(disk, random), witness, 6);
      await live(
        sessionOn(disk, random, ({ number }) => (number === at ? "stops" : "works")),
        witness,
        12,
      );
      // It changes nothing; but what it has shown to somebody cannot be taken back any more.
      await live(sessionOn(disk, random), witness, 0);
      disk.cutPower(new Random(at));
      await live(sessionOn(disk, random), witness, 0);
    }
  });
});

describe("StoreUnavailable", () => {
  it("is what an append is answered when the machine stops under it", async () => {
    const session = sessionOn(new MemoryDisk(), new Random(1));
    const store = await session.open();
    session.layer.stopped = true;
    const run = "aaaaaaaa-0000-4000-8000-000000000000";
    const ownership = { kind: "client", record_prompts: false } as const;
    await assert.rejects(store.openRun(run, "lease", ownership), StoreUnavailable);
    assert.equal(await store.readRun(run), undefined);
    assert.equal(store.health.writable, false);
    await store.close().catch(ignore);
  });
});
