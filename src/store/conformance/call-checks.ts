import { strict as assert } from "node:assert";
import { claiming, releasing, settling, together } from "../append-unit.js";
import { Conflict } from "../errors.js";
import { KEPT_REPORTS } from "../event-store.js";
import {
  completed,
  completion,
  intent,
  newRun,
  observed,
  OWNERSHIP,
  race,
  refusal,
  runOf,
  started,
  timeAt,
} from "./samples.js";
import type { Check } from "./subject.js";

/** What a store keeps beside events: identities, leases, refused reports; and how it forgets. */
export const CALL_CHECKS: readonly Check[] = [
  {
    name: "of 16 calls that race for an identity, one gets it, and only its intent is recorded",
    check: async ({ store, reopen }) => {
      const runs = await Promise.all(Array.from({ length: 16 }, () => runOf(store, 1)));
      const identity = "sha256:one";
      const { won, errors } = await race(16, async (index) => {
        const run = runs[index] ?? "";
        await store.append(run, [intent(run, 1)], claiming(identity, 1));
      });
      assert.equal(won.length, 1);
      const winner = runs[won[0] ?? -1] ?? "";
      for (const error of errors) {
        assert.ok(error instanceof Conflict);
        assert.deepEqual(error.holder, { run_id: winner, seq: 1, settled: false });
      }
      const again = await reopen();
      for (const run of runs) assert.equal((await again.readLog(run)).length, run === winner ? 2 : 1);
      assert.deepEqual(await again.lookupCall(identity), { run_id: winner, seq: 1, settled: false });
    },
  },
  {
    name: "an identity is claimed, settled and freed with the events that it belongs to, or not at all",
    check: async ({ store, reopen }) => {
      const [one, other] = [await runOf(store, 1), await runOf(store, 1)];
      const identity = "sha256:paid";
      await store.append(one, [intent(one, 1)], claiming(identity, 1));
      assert.equal(await refusal(store.append(one, [completion(one, 5, 1)], settling(identity))), "conflict");
      assert.equal((await store.lookupCall(identity))?.settled, false);
      await store.append(one, [completion(one, 2, 1)], releasing(identity));
      assert.equal(await store.lookupCall(identity), undefined);
      await store.append(other, [intent(other, 1)], claiming(identity, 1));
      await store.append(other, [completion(other, 2, 1)], settling(identity));
      assert.equal(await refusal(store.append(one, [intent(one, 3)], claiming(identity, 3))), "conflict");
      const again = await reopen();
      assert.deepEqual(await again.lookupCall(identity), { run_id: other, seq: 1, settled: true });
      assert.equal(await refusal(again.append(one, [intent(one, 3)], claiming(identity, 3))), "conflict");
      assert.equal((await again.readLog(one)).length, 3);
    },
  },
  {
    name: "only the run that holds an identity can settle or free it, and never free a settled one",
    check: async ({ store }) => {
      const [one, other] = [await runOf(store, 1), await runOf(store, 1)];
      const identity = "sha256:mine";
      assert.equal(await refusal(store.append(one, [observed(one, 1)], settling(identity))), "conflict");
      await store.append(one, [intent(one, 1)], claiming(identity, 1));
      for (const unit of [settling(identity), releasing(identity)]) {
        assert.equal(await refusal(store.append(other, [observed(other, 1)], unit)), "conflict");
      }
      await store.append(one, [completion(one, 2, 1)], settling(identity));
      assert.equal(await refusal(store.append(one, [observed(one, 3)], releasing(identity))), "conflict");
      assert.deepEqual(await store.lookupCall(identity), { run_id: one, seq: 1, settled: true });
    },
  },
  {
    name: "a call is claimed and settled in one append",
    check: async ({ store, reopen }) => {
      const run = await runOf(store, 1);
      const unit = together(claiming("sha256:both", 1), settling("sha256:both"));
      await store.append(run, [intent(run, 1), completion(run, 2, 1)], unit);
      assert.deepEqual(await (await reopen()).lookupCall("sha256:both"), {
        run_id: run,
        seq: 1,
        settled: true,
      });
    },
  },
  {
    name: "one append closes a call and opens the next: the identities of both move with it, in order",
    check: async ({ store, reopen }) => {
      const run = await runOf(store, 1);
      const [paid, failed, next] = ["sha256:paid", "sha256:failed", "sha256:next"];
      await store.append(run, [intent(run, 1)], claiming(paid, 1));
      await store.append(
        run,
        [completion(run, 2, 1), intent(run, 3)],
        together(settling(paid), claiming(failed, 3)),
      );
      // The same call again, and under the same key, once it has failed.
      const retry = together(releasing(failed), claiming(failed, 5), claiming(next, 5));
      await store.append(run, [completion(run, 4, 3), intent(run, 5)], retry);
      const again = await reopen();
      assert.deepEqual(await again.lookupCall(paid), { run_id: run, seq: 1, settled: true });
      for (const identity of [failed, next]) {
        assert.deepEqual(await again.lookupCall(identity), { run_id: run, seq: 5, settled: false });
      }
      await again.append(run, [completion(run, 6, 5)], together(releasing(failed), releasing(next)));
      const last = await reopen();
      for (const identity of [failed, next]) assert.equal(await last.lookupCall(identity), undefined);
    },
  },
  {
    name: "when one of an append's changes to identities is refused, none is made and nothing is recorded",
    check: async ({ store, reopen }) => {
      const [run, other] = [await runOf(store, 1), await runOf(store, 1)];
      const [mine, theirs] = ["sha256:mine", "sha256:theirs"];
      await store.append(run, [intent(run, 1)], claiming(mine, 1));
      await store.append(other, [intent(other, 1)], claiming(theirs, 1));
      const events = [completion(run, 2, 1), intent(run, 3)];
      for (const unit of [
        together(settling(mine), claiming(theirs, 3)),
        together(releasing(mine), claiming(mine, 3), claiming(mine, 3)),
        together(releasing(mine), releasing(mine)),
        together(releasing(mine), settling(mine)),
        together(settling(mine), releasing(mine)),
        together(settling(mine), claiming(mine, 3)),
        together(releasing(mine), releasing(theirs)),
      ]) {
        assert.equal(await refusal(store.append(run, events, unit)), "conflict");
      }
      for (const open of [() => Promise.resolve(store), reopen]) {
        const seen = await open();
        assert.deepEqual(await seen.lookupCall(mine), { run_id: run, seq: 1, settled: false });
        assert.deepEqual(await seen.lookupCall(theirs), { run_id: other, seq: 1, settled: false });
        assert.equal((await seen.readLog(run)).length, 2);
      }
    },
  },
  {
    name: "a run is opened once, and opened again with a lease that ends the one before",
    check: async ({ store, reopen }) => {
      const run = newRun();
      const { won } = await race(1, () => store.openRun(run, "first", OWNERSHIP));
      assert.equal(won.length, 1);
      assert.deepEqual(await store.openRun(run, "second", { ...OWNERSHIP, record_prompts: false }), {
        fresh: false,
      });
      assert.equal(await refusal(store.append(run, [started(run)], { lease: "first" })), "lease_lost");
      await store.append(run, [started(run)], { lease: "second" });
      assert.equal(await store.summary(newRun()), undefined);
      const again = await reopen();
      assert.deepEqual(await again.readRun(run), {
        eventCount: 1,
        ownership: OWNERSHIP,
        lease: "second",
        refusedReports: [],
        erased: false,
      });
      await again.append(run, [observed(run, 1)], { lease: "second" });
      assert.equal(await refusal(again.append(run, [observed(run, 2)], { lease: "first" })), "lease_lost");
    },
  },
  {
    name: "of 16 who open a new run at once, one finds it fresh",
    check: async ({ store }) => {
      const run = newRun();
      const opened = await Promise.all(
        Array.from({ length: 16 }, (_, index) => store.openRun(run, `lease ${index}`, OWNERSHIP)),
      );
      assert.equal(opened.filter(({ fresh }) => fresh).length, 1);
      assert.equal((await store.readRun(run))?.eventCount, 0);
      assert.deepEqual((await store.summaries()).runs, []);
    },
  },
  {
    name: "a run that no client opened cannot be taken over",
    check: async ({ store }) => {
      const run = await runOf(store, 1);
      assert.equal(await refusal(store.openRun(run, "lease", OWNERSHIP)), "foreign_run");
    },
  },
  {
    name: "the last refused reports of each intent are kept, also after a restart",
    check: async ({ store, reopen }) => {
      const run = await runOf(store, 1);
      await store.append(run, [intent(run, 1, "client")]);
      const report = (seq: number, index: number) => ({
        seq,
        time: timeAt(index),
        code: "x",
        message: `${index}`,
      });
      for (let index = 0; index < KEPT_REPORTS + 3; index += 1)
        await store.recordRefusal(run, report(1, index));
      await store.recordRefusal(run, { ...report(9, 0), output: { told: "lie" } });
      assert.equal((await store.summary(run))?.content?.pendingRefused, true);
      const kept = (await (await reopen()).readRun(run))?.refusedReports ?? [];
      assert.deepEqual(
        kept.map(({ seq, message }) => [seq, message]),
        [...["3", "4", "5", "6", "7"].map((message) => [1, message]), [9, "0"]],
      );
      assert.deepEqual(kept.at(-1)?.output, { told: "lie" });
    },
  },
  {
    name: "a refused report that is repeated pushes no other out",
    check: async ({ store, reopen }) => {
      const run = await runOf(store, 1);
      await store.append(run, [intent(run, 1, "client")]);
      const report = (index: number, amount: number) => ({
        seq: 1,
        time: timeAt(index),
        code: "x",
        message: "another amount",
        output: { receipt: "r", amount },
      });
      await store.recordRefusal(run, report(0, 900));
      for (let index = 1; index <= 2 * KEPT_REPORTS; index += 1)
        await store.recordRefusal(run, report(index, 1));
      const kept = (await (await reopen()).readRun(run))?.refusedReports ?? [];
      assert.deepEqual(kept, [report(0, 900), report(2 * KEPT_REPORTS, 1)]);
    },
  },
  {
    name: "an erased run leaves its settled identities and nothing of its content",
    check: async ({ store, reopen, holdsText }) => {
      const [run, other] = [newRun(), await runOf(store, 2)];
      const identity = "sha256:erased";
      const secret = "the-secret-of-the-run";
      await store.openRun(run, "lease", { ...OWNERSHIP, agent: secret });
      const begun = started(run, 0, { secret });
      await store.append(run, [begun, intent(run, 1)], claiming(identity, 1));
      assert.equal(await refusal(store.erase(run)), "not_terminal");
      await store.append(run, [completion(run, 2, 1)], settling(identity));
      await store.append(run, [completed(run, 3, secret)]);
      assert.equal((await store.readLog(run)).length, 4);
      const current = await reopen();
      assert.equal(await holdsText(secret), true);
      await current.erase(run);
      assert.equal(await holdsText(secret), false);
      for (const seen of [() => Promise.resolve(current), reopen, reopen]) {
        const now = await seen();
        assert.deepEqual(await now.readLog(run), []);
        assert.equal(await now.summary(run), undefined);
        assert.equal((await now.readRun(run))?.erased, true);
        assert.equal(await refusal(now.openRun(run, "lease", OWNERSHIP)), "run_erased");
        assert.equal(await refusal(now.append(run, [started(run)])), "run_erased");
        assert.deepEqual(await now.lookupCall(identity), { run_id: run, seq: 1, settled: true });
        assert.deepEqual(
          (await now.summaries()).runs.map((each) => each.run),
          [other],
        );
        await now.erase(run);
      }
      assert.equal(await holdsText(secret), false);
    },
  },
  {
    name: "a run that nobody knows cannot be erased",
    check: async ({ store }) => {
      assert.equal(await refusal(store.erase(newRun())), "not_terminal");
    },
  },
  {
    name: "a closed store accepts nothing, and closing it twice is harmless",
    check: async ({ store }) => {
      const run = await runOf(store, 1);
      const last = store.append(run, [observed(run, 1)]);
      await Promise.all([store.close(), store.close()]);
      await last;
      assert.equal(store.health.writable, false);
      assert.equal(await refusal(store.append(run, [observed(run, 2)])), "store_unavailable");
    },
  },
];
