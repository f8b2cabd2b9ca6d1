import { strict as assert } from "node:assert";
import { describe, it } from "node:test";
import { MemoryDisk } from "./disk/memory-disk.js";
import { Random } from "./disk/random.js";
import { sessionOn } from "./disk/sessions.js";
import { WRITES, type Fate, type Operation } from "./disk/faulty-layer.js";
import { Witness } from "./disk/witness.js";

/** Works on a store whose disk fails, then on the same store when it works again, then after a restart with or without power cut. */
async function survive(seed: number, fails: (operation: Operation) => Fate): Promise<void> {
  const random = new Random(seed);
  const disk = new MemoryDisk();
  const witness = new Witness(random);
  let healthy = true;
  const session = sessionOn(disk, random, (operation) => (healthy ? "works" : fails(operation)), 1);
  const store = await session.open();
  await witness.work(store, 5);
  healthy = false;
  await witness.work(store, 10);
  await witness.check(store, true);
  healthy = true;
  await witness.work(store, 10);
  await witness.check(store, true);
  assert.deepEqual(store.health, { writable: true });
  if (random.coin()) await store.close();
  else session.layer.stopped = true;
  if (random.coin()) disk.cutPower(random);
  const again = await sessionOn(disk, random).open();
  await witness.check(again, false);
  await again.close();
  await store.close().catch(() => undefined);
}

describe("a failing disk", () => {
  for (const code of ["ENOSPC", "EIO"]) {
    it(`is survived when any one write fails with ${code}, and the store goes on by itself`, async () => {
      for (let at = 0; at < 60; at += 1) {
        let seen = 0;
        await survive(at, ({ kind }) => (WRITES.has(kind) && seen++ === at ? { fails: code } : "works"));
      }
    });

    it(`is survived when every other write fails with ${code} for a while`, async () => {
      for (let seed = 0; seed < 30; seed += 1) {
        const chance = new Random(seed);
        await survive(seed, ({ kind }) => (WRITES.has(kind) && chance.coin() ? { fails: code } : "works"));
      }
    });

    it(`is survived when nothing can be written for a while because of ${code}`, async () => {
      for (let seed = 0; seed < 20; seed += 1) {
        await survive(seed, ({ kind }) => (WRITES.has(kind) ? { fails: code } : "works"));
      }
    });
  }
});
