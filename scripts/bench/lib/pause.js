// The longest that a caller waits while a checkpoint moves a long journal into documents, and that anything keeps the event
// loop, beside the same without a checkpoint.
import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { openLowdbStore } from "../../../dist/store/index.js";
import { event } from "./events.js";

const CALLERS = 16;
const RUNS = 1000;
const EVENTS_A_RUN = 150;

export async function checkpointPause(dir) {
  const data = join(dir, "pause");
  const store = await openLowdbStore({ dir: data, idleMs: 1e9 });
  const runs = Array.from({ length: RUNS }, () => randomUUID());
  // Just under the 64 MiB at which a checkpoint begins by itself.
  for (const run of runs) {
    await store.append(
      run,
      Array.from({ length: EVENTS_A_RUN }, (_, seq) => event(run, seq)),
    );
  }
  const [first] = await readdir(join(data, "journal"));
  const quiet = await longest(store, () => Promise.resolve(performance.now() - quiet0 > 1000));
  const begun = performance.now();
  const payload = "x".repeat(400_000);
  let pushed = 0;
  const busy = await longest(
    store,
    async () => !(await readdir(join(data, "journal"))).includes(first) || performance.now() - begun > 60_000,
    async () => {
      while (pushed < 80) {
        pushed += 1;
        const run = randomUUID();
        await store.append(run, [
          {
            ...event(run, 0),
            event: { kind: "RunStarted", payload: { agent_def_hash: "x", input: payload } },
          },
        ]);
      }
    },
  );
  const ms = performance.now() - begun;
  await store.close();
  return {
    without_ms: quiet.most,
    during_ms: busy.most,
    loop_without_ms: quiet.loop,
    loop_during_ms: busy.loop,
    checkpoint_ms: ms,
  };
}

let quiet0 = 0;

/** The longest time between a caller's question and its answer, and between two turns of the event loop, until something is so. */
async function longest(store, isOver, first = () => Promise.resolve()) {
  await first();
  const loop = monitorEventLoopDelay({ resolution: 2 });
  loop.enable();
  quiet0 = performance.now();
  let over = false;
  let most = 0;
  const caller = async () => {
    const run = randomUUID();
    for (let seq = 0; !over; seq += 1) {
      const asked = performance.now();
      await store.append(run, [event(run, seq)]);
      most = Math.max(most, performance.now() - asked);
    }
  };
  const callers = Array.from({ length: CALLERS }, caller);
  while (!(await isOver())) await new Promise((turn) => setTimeout(turn, 20));
  over = true;
  await Promise.all(callers);
  loop.disable();
  return { most, loop: loop.max / 1e6 };
}
