import { strict as assert } from "node:assert";
import { envelopeOf, type Envelope } from "../../log/events.js";
import { TamperEvident } from "../errors.js";
import { everyKind, newRun, observed, race, refusal, runOf, started, timeAt } from "./samples.js";
import type { Check } from "./subject.js";

/** What a store does with events. */
export const LOG_CHECKS: readonly Check[] = [
  {
    name: "every kind of event comes back as it was given, also after a restart",
    check: async ({ store, reopen }) => {
      const run = newRun();
      const log = everyKind(run);
      await store.append(run, log);
      assert.deepEqual(await store.readLog(run), log);
      assert.deepEqual(await (await reopen()).readLog(run), log);
    },
  },
  {
    name: "a kind that this version does not know is kept as it is",
    check: async ({ store, reopen }) => {
      const run = newRun();
      const event = { kind: "FutureKind", payload: { value: 7, extra: ["kept"] } };
      const log = [started(run), envelopeOf(run, 1, timeAt(1), event as never)];
      await store.append(run, log);
      assert.deepEqual(await (await reopen()).readLog(run), log);
    },
  },
  {
    name: "a run that nobody wrote to reads empty, everywhere",
    check: async ({ store }) => {
      const run = newRun();
      assert.deepEqual(await store.readLog(run), []);
      assert.equal(await store.summary(run), undefined);
      assert.equal(await store.readRun(run), undefined);
      assert.equal(await store.lookupCall("identity"), undefined);
      assert.deepEqual(await store.summaries(), { runs: [] });
    },
  },
  {
    name: "events are read in order, and from any position on",
    check: async ({ store, reopen }) => {
      const run = await runOf(store, 7);
      const seqs = (log: readonly Envelope[]) => log.map(({ seq }) => seq);
      assert.deepEqual(seqs(await store.readLog(run, 4)), [4, 5, 6]);
      const again = await reopen();
      await again.append(run, [observed(run, 7)]);
      assert.deepEqual(seqs(await again.readLog(run)), [0, 1, 2, 3, 4, 5, 6, 7]);
      assert.deepEqual(seqs(await again.readLog(run, 6)), [6, 7]);
      assert.deepEqual(seqs(await again.readLog(run, 8)), []);
      assert.deepEqual(seqs(await again.readLog(run, 100)), []);
    },
  },
  {
    name: "a log of thousands of events survives restarts in one piece",
    check: async ({ store, reopen }) => {
      const run = newRun();
      let current = store;
      let next = 0;
      for (let round = 0; round < 3; round += 1) {
        const events = Array.from({ length: 1100 }, (_, index) =>
          next + index === 0 ? started(run) : observed(run, next + index, `event ${next + index}`),
        );
        await current.append(run, events);
        next += events.length;
        current = await reopen();
      }
      const log = await current.readLog(run);
      assert.equal(log.length, 3300);
      assert.ok(log.every(({ seq }, index) => seq === index));
      assert.deepEqual(await current.readLog(run, 3298), log.slice(3298));
      for (const [from, limit] of [
        [0, 1],
        [998, 4],
        [1999, 1],
        [2500, 0],
        [3299, 5],
      ] as const) {
        assert.deepEqual(await current.readLog(run, from, limit), log.slice(from, from + limit));
      }
      assert.deepEqual((await current.readLog(run, 998))[0], log[998]);
    },
  },
  {
    name: "two runs do not see each other",
    check: async ({ store }) => {
      const [one, other] = [await runOf(store, 3), await runOf(store, 2)];
      assert.ok((await store.readLog(one)).every(({ run_id }) => run_id === one));
      assert.equal((await store.readLog(one)).length, 3);
      assert.equal((await store.readLog(other)).length, 2);
    },
  },
  {
    name: "a position that is taken is a conflict, and so is one that leaves a gap",
    check: async ({ store }) => {
      const run = await runOf(store, 2);
      for (const seq of [0, 1, 3]) {
        assert.equal(await refusal(store.append(run, [observed(run, seq)])), "conflict");
      }
      assert.equal((await store.readLog(run)).length, 2);
    },
  },
  {
    name: "an append that is not one run's next events in order is refused as a mistake",
    check: async ({ store }) => {
      const run = await runOf(store, 1);
      const wrong = [[], [observed(run, 1), observed(run, 3)], [observed(newRun(), 1)]];
      for (const events of wrong) await assert.rejects(store.append(run, events), TypeError);
      assert.equal((await store.readLog(run)).length, 1);
    },
  },
  {
    name: "of 16 appends that race for a position, one wins",
    check: async ({ store, reopen }) => {
      const run = await runOf(store, 1);
      const { won, errors } = await race(16, (index) =>
        store.append(run, [observed(run, 1, `racer ${index}`)]),
      );
      assert.equal(won.length, 1);
      assert.deepEqual(
        new Set(errors.map((error) => (error as { code: string }).code)),
        new Set(["conflict"]),
      );
      const log = await (await reopen()).readLog(run);
      assert.deepEqual(log.slice(1), [observed(run, 1, `racer ${won[0] ?? -1}`)]);
    },
  },
  {
    name: "appends that follow each other without waiting all arrive, in order",
    check: async ({ store, reopen }) => {
      const run = await runOf(store, 1);
      const { won } = await race(100, (index) => store.append(run, [observed(run, index + 1)]));
      assert.equal(won.length, 100);
      assert.equal((await (await reopen()).readLog(run)).length, 101);
    },
  },
  {
    name: "what a caller does to an event afterwards does not reach the store",
    check: async ({ store }) => {
      const run = newRun();
      const payload = { agent_def_hash: "sha256:agent", input: { cents: 1 } };
      const done = store.append(run, [envelopeOf(run, 0, timeAt(0), { kind: "RunStarted", payload })]);
      payload.input.cents = 2;
      await done;
      payload.input.cents = 3;
      assert.deepEqual((await store.readLog(run))[0]?.event.payload, {
        agent_def_hash: "sha256:agent",
        input: { cents: 1 },
      });
    },
  },
  {
    name: "a value that JSON does not have is refused as a mistake, not recorded as another",
    check: async ({ store }) => {
      const run = await runOf(store, 1);
      const payload = { seq: 0, output: { cents: Number.NaN } };
      const event = envelopeOf(run, 1, timeAt(1), { kind: "ToolCallCompleted", payload });
      await assert.rejects(store.append(run, [event]), TypeError);
      assert.equal((await store.readLog(run)).length, 1);
    },
  },
  {
    name: "a subscriber sees every event from then on, once and in order, when it can be read",
    check: async ({ store }) => {
      const run = await runOf(store, 2);
      const seen: number[] = [];
      const readable: Promise<readonly Envelope[]>[] = [];
      const stop = store.subscribe(run, ({ seq }) => {
        seen.push(seq);
        readable.push(store.readLog(run, seq));
      });
      const stopOther = store.subscribe(run, () => {
        throw new Error("a listener that fails");
      });
      await race(10, (index) => store.append(run, [observed(run, index + 2)]));
      await store.append(await runOf(store, 1), []).catch(() => undefined);
      stopOther();
      stop();
      await store.append(run, [observed(run, 12)]);
      assert.deepEqual(seen, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
      for (const log of await Promise.all(readable)) assert.ok(log.length > 0);
    },
  },
  {
    name: "a log that was changed behind the store's back is noticed, and only that one",
    check: async ({ store, tamper }) => {
      const [broken, whole] = [await runOf(store, 4), await runOf(store, 3)];
      const again = await tamper(broken);
      await assert.rejects(again.readLog(broken), (error) => {
        assert.ok(error instanceof TamperEvident);
        assert.equal(error.run, broken);
        return true;
      });
      assert.equal((await again.summary(broken))?.content, undefined);
      assert.equal((await again.readLog(whole)).length, 3);
      const listed = (await again.summaries()).runs;
      assert.deepEqual(listed.map(({ run }) => run).sort(), [broken, whole].sort());
      assert.notEqual((await again.summary(whole))?.content, undefined);
      await again.append(whole, [observed(whole, 3)]);
    },
  },
];
