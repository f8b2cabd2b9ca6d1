import { strict as assert } from "node:assert";
import { setTimeout as pause } from "node:timers/promises";
import type { EventStore, WaitNotices } from "../event-store.js";
import { race, runOf } from "./samples.js";
import type { Check } from "./subject.js";

/** Longer than any check takes, and shorter than anybody notices. */
const [LONG, SHORT] = [600_000, 20];

/** Who was told that a run waits: for stores that keep it. */
export const NOTICE_CHECKS: readonly Check[] = [
  {
    name: "a wait is told by one at a time, and by nobody once it was told, also after a restart",
    check: async ({ store, reopen }) => {
      if (store.notices === undefined) return;
      const run = await runOf(store, 1);
      assert.equal(await store.notices.claim(run, 3, "mine", LONG), true);
      assert.equal(await store.notices.claim(run, 3, "theirs", LONG), false);
      assert.equal(await store.notices.claim(run, 3, "mine", LONG), true);
      await store.notices.told(run, 3);
      for (const holder of ["mine", "theirs"])
        for (const seq of [3, 2]) assert.equal(await store.notices.claim(run, seq, holder, LONG), false);
      const again = kept(await reopen());
      assert.equal(await again.claim(run, 3, "theirs", LONG), false);
      assert.equal(await again.claim(run, 4, "theirs", LONG), true);
    },
  },
  {
    name: "of 16 who would tell of a wait, one does",
    check: async ({ store }) => {
      const { notices } = store;
      if (notices === undefined) return;
      const run = await runOf(store, 1);
      let claims = 0;
      await race(16, async (index) => {
        if (await notices.claim(run, 1, `${index}`, LONG)) claims += 1;
      });
      assert.equal(claims, 1);
    },
  },
  {
    name: "who said that they would tell and did not is relieved by another one",
    check: async ({ store }) => {
      const { notices } = store;
      if (notices === undefined) return;
      const run = await runOf(store, 1);
      assert.equal(await notices.claim(run, 1, "mine", SHORT), true);
      while (!(await notices.claim(run, 1, "theirs", LONG))) await pause(SHORT);
      assert.equal(await notices.claim(run, 1, "mine", LONG), false);
      // A later wait is another one.
      assert.equal(await notices.claim(run, 2, "mine", LONG), true);
    },
  },
];

function kept({ notices }: EventStore): WaitNotices {
  assert.ok(notices, "a store that keeps who was told keeps it after a restart");
  return notices;
}
