import { strict as assert } from "node:assert";
import { setTimeout as pause } from "node:timers/promises";
import type { EventStore } from "../event-store.js";
import { intent, newRun, race, runOf } from "./samples.js";
import type { Check } from "./subject.js";

/** Longer than any check takes, and shorter than anybody notices. */
const [LONG, SHORT] = [600_000, 20];

/** Who performs a call right now. */
export const EXECUTION_CHECKS: readonly Check[] = [
  {
    name: "an execution is held by one at a time, renewed by that one, and seen by everybody",
    check: async ({ store }) => {
      const run = await runOf(store, 1);
      assert.equal(await store.execution(run), undefined);
      const mine = { seq: 1, holder: "mine" };
      assert.equal(await store.holdExecution(run, mine, LONG), true);
      assert.deepEqual(await store.execution(run), mine);
      for (const seq of [1, 2]) {
        assert.equal(await store.holdExecution(run, { seq, holder: "theirs" }, LONG), false);
      }
      assert.equal(await store.holdExecution(run, mine, LONG), true);
      assert.deepEqual(await store.execution(run), mine);
    },
  },
  {
    name: "of 16 who would perform a call, one does",
    check: async ({ store }) => {
      const run = await runOf(store, 1);
      const held: number[] = [];
      await race(16, async (index) => {
        if (await store.holdExecution(run, { seq: 1, holder: `${index}` }, LONG)) held.push(index);
      });
      assert.equal(held.length, 1);
      assert.deepEqual(await store.execution(run), { seq: 1, holder: `${held[0]}` });
    },
  },
  {
    name: "executions of different runs have nothing to do with each other",
    check: async ({ store }) => {
      const [one, other] = [await runOf(store, 1), await runOf(store, 1)];
      assert.equal(await store.holdExecution(one, { seq: 1, holder: "a" }, LONG), true);
      assert.equal(await store.execution(other), undefined);
      assert.equal(await store.holdExecution(other, { seq: 1, holder: "b" }, LONG), true);
      await store.releaseExecution(other, { seq: 1, holder: "b" });
      assert.deepEqual(await store.execution(one), { seq: 1, holder: "a" });
    },
  },
  {
    name: "an execution is let go of by whoever holds it, and by nobody else",
    check: async ({ store }) => {
      const run = await runOf(store, 1);
      const mine = { seq: 1, holder: "mine" };
      await store.holdExecution(run, mine, LONG);
      await store.releaseExecution(run, { seq: 1, holder: "theirs" });
      assert.deepEqual(await store.execution(run), mine);
      await store.releaseExecution(run, mine);
      assert.equal(await store.execution(run), undefined);
      await store.releaseExecution(run, mine);
      assert.equal(await store.holdExecution(run, { seq: 2, holder: "theirs" }, LONG), true);
      await store.releaseExecution(run, mine);
      assert.deepEqual(await store.execution(run), { seq: 2, holder: "theirs" });
    },
  },
  {
    name: "an execution that nobody renews expires, and is then another's to take",
    check: async ({ store }) => {
      const run = await runOf(store, 1);
      const [mine, theirs] = [
        { seq: 1, holder: "mine" },
        { seq: 1, holder: "theirs" },
      ];
      await store.holdExecution(run, mine, SHORT);
      await expired(store, run);
      assert.equal(await store.holdExecution(run, theirs, LONG), true);
      assert.equal(await store.holdExecution(run, mine, LONG), false);
      await store.releaseExecution(run, mine);
      assert.deepEqual(await store.execution(run), theirs);
    },
  },
  {
    name: "an execution may be held before its intent, changes no log, and asks for no run that is known",
    check: async ({ store, reopen }) => {
      const [run, unknown] = [await runOf(store, 1), newRun()];
      assert.equal(await store.holdExecution(run, { seq: 1, holder: "mine" }, LONG), true);
      await store.append(run, [intent(run, 1)]);
      assert.equal(await store.execution(unknown), undefined);
      await store.releaseExecution(unknown, { seq: 1, holder: "mine" });
      const again = await reopen();
      assert.equal((await again.readLog(run)).length, 2);
      assert.equal(await again.readRun(unknown), undefined);
    },
  },
];

async function expired(store: EventStore, run: string): Promise<void> {
  while ((await store.execution(run)) !== undefined) await pause(SHORT);
}
