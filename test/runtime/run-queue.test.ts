import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { RunQueue } from "#salvor/runtime/run-queue.js";

/** A promise, and the way to end it. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe("the queue of a run", () => {
  it("does one piece of work at a time, in the order of arrival, whichever run each is for", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(3))), async (work) => {
        const queue = new RunQueue();
        const busy = new Set<string>();
        const done: Record<string, number[]> = { a: [], b: [], c: [] };
        await Promise.all(
          work.map(([run, turns], index) =>
            queue.enter(run, async () => {
              assert.ok(!busy.has(run));
              busy.add(run);
              for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
              busy.delete(run);
              done[run]!.push(index);
            }),
          ),
        );
        for (const run of ["a", "b", "c"]) {
          const arrived = work.flatMap(([each], index) => (each === run ? [index] : []));
          assert.deepEqual(done[run], arrived);
        }
      }),
    );
  });

  it("does not let one run wait for another", async () => {
    const queue = new RunQueue();
    const { opened, open } = gate();
    const held = queue.enter("slow", () => opened);
    assert.equal(await queue.enter("quick", () => Promise.resolve("done")), "done");
    open();
    await held;
  });

  it("goes on after work that failed, and tells only its own caller", async () => {
    const queue = new RunQueue();
    const failing = queue.enter("run", () => Promise.reject(new Error("no")));
    const next = queue.enter("run", () => Promise.resolve("yes"));
    await assert.rejects(failing, /no/);
    assert.equal(await next, "yes");
  });

  it("is idle once all work is done, also work that arrived while it was waited for", async () => {
    const queue = new RunQueue();
    const done: string[] = [];
    const first = queue.enter("run", () => {
      void queue.enter("run", async () => {
        await Promise.resolve();
        done.push("second");
      });
      done.push("first");
      return Promise.resolve();
    });
    await queue.idle();
    await first;
    assert.deepEqual(done, ["first", "second"]);
    await queue.idle();
  });
});
