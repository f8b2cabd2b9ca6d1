import { strict as assert } from "node:assert";
import { fold } from "../../log/fold.js";
import type { EventStore, SummaryQuery } from "../event-store.js";
import {
  completed,
  completion,
  everyKind,
  intent,
  newRun,
  observed,
  OWNERSHIP,
  started,
  timeAt,
} from "./samples.js";
import type { Check } from "./subject.js";

/** What a store lists. */
export const SUMMARY_CHECKS: readonly Check[] = [
  {
    name: "a summary says what the log says, event by event, also after a restart",
    check: async ({ store, reopen }) => {
      const run = newRun();
      const log = everyKind(run);
      for (const [index, envelope] of log.entries()) {
        await store.append(run, [envelope]);
        const { status, usage, stepCount, pending } = fold(log.slice(0, index + 1));
        const summary = await store.summary(run);
        assert.equal(summary?.eventCount, index + 1);
        assert.equal(summary.firstRecordedAt, timeAt(0));
        assert.equal(summary.lastRecordedAt, timeAt(index));
        assert.deepEqual(summary.content, {
          status,
          usage,
          stepCount,
          agentDefHash: "sha256:agent",
          labels: { team: "desk" },
          pending,
          pendingByClient: pending?.kind === "tool",
          pendingRefused: false,
          clientOwned: false,
        });
      }
      const before = await store.summary(run);
      assert.deepEqual(await (await reopen()).summary(run), before);
    },
  },
  {
    name: "a pending call says who performs it",
    check: async ({ store }) => {
      const [client, server] = [newRun(), newRun()];
      await store.openRun(client, "lease", OWNERSHIP);
      await store.append(client, [started(client), intent(client, 1, "client")]);
      await store.append(server, [started(server), intent(server, 1)]);
      assert.equal((await store.summary(client))?.content?.pendingByClient, true);
      assert.equal((await store.summary(client))?.content?.clientOwned, true);
      assert.equal((await store.summary(server))?.content?.pendingByClient, false);
      await store.append(client, [completion(client, 2, 1)]);
      assert.equal((await store.summary(client))?.content?.pendingByClient, false);
    },
  },
  {
    name: "runs are listed oldest first, in pages of any size, each once",
    check: async ({ store, reopen }) => {
      const expected = await fill(store);
      for (const open of [() => Promise.resolve(store), reopen]) {
        const seen = await open();
        assert.deepEqual(await idsOf(seen, {}), expected);
        for (const limit of [1, 2, 5, 100]) assert.deepEqual(await idsOf(seen, { limit }), expected);
      }
    },
  },
  {
    name: "runs are listed newest first when that is asked for, in pages of any size, each once",
    check: async ({ store, reopen }) => {
      const expected = [...(await fill(store))].reverse();
      const ended = expected.filter((_, index) => (expected.length - 1 - index) % 3 === 0);
      for (const open of [() => Promise.resolve(store), reopen]) {
        const seen = await open();
        assert.deepEqual(await idsOf(seen, { order: "newest" }), expected);
        for (const limit of [1, 2, 5, 100]) {
          assert.deepEqual(await idsOf(seen, { order: "newest", limit }), expected);
          assert.deepEqual(await idsOf(seen, { order: "newest", limit, states: ["completed"] }), ended);
        }
      }
    },
  },
  {
    name: "a list can be of some states only, and its pages are full",
    check: async ({ store }) => {
      const expected = await fill(store);
      const ended = expected.filter((_, index) => index % 3 === 0);
      assert.deepEqual(await idsOf(store, { states: ["completed", "failed"], limit: 2 }), ended);
      assert.deepEqual(await idsOf(store, { states: ["suspended"] }), []);
      const page = await store.summaries({ states: ["completed"], limit: ended.length });
      assert.equal(page.next, undefined);
    },
  },
  {
    name: "a cursor stays good while runs come and go",
    check: async ({ store }) => {
      const expected = await fill(store);
      const { next } = await store.summaries({ limit: 4 });
      const late = newRun();
      await store.append(late, [started(late, 1000)]);
      await store.erase(expected[3] ?? "");
      const rest = await store.summaries(next === undefined ? {} : { after: next });
      assert.deepEqual(
        rest.runs.map(({ run }) => run),
        [...expected.slice(4), late],
      );
    },
  },
];

/** Ten runs, some at the same time, every third of them ended; answers their ids in the order of a list. */
async function fill(store: EventStore): Promise<readonly string[]> {
  const keys = Array.from({ length: 10 }, (_, index) => ({ run: newRun(), at: Math.floor(index / 2) }));
  keys.sort((a, b) => a.at - b.at || (a.run < b.run ? -1 : 1));
  const inOtherOrder = [...keys.entries()].sort(([, a], [, b]) => (a.run < b.run ? -1 : 1));
  for (const [index, { run, at }] of inOtherOrder) {
    await store.append(run, [started(run, at)]);
    await store.append(run, [index % 3 === 0 ? completed(run, 1, "done") : observed(run, 1)]);
  }
  return keys.map(({ run }) => run);
}

async function idsOf(store: EventStore, query: SummaryQuery): Promise<readonly string[]> {
  const ids: string[] = [];
  let page = await store.summaries(query);
  for (;;) {
    assert.ok(page.runs.length <= (query.limit ?? Number.POSITIVE_INFINITY));
    ids.push(...page.runs.map(({ run }) => run));
    if (page.next === undefined) return ids;
    page = await store.summaries({ ...query, after: page.next });
  }
}
