// A process that appends to a store until it is killed, and says on stdout what was acknowledged. Started by store-kill.test.ts.
import { writeSync } from "node:fs";
import { envelopeOf, type Envelope } from "#salvor/log/events.js";
import { claiming, settling } from "#salvor/store/append-unit.js";
// Not the whole store: a process that is killed a moment later should start fast.
import { openLowdbStore } from "#salvor/store/open-lowdb-store.js";

const [dir = "", runs = "", round = ""] = process.argv.slice(2);
const store = await openLowdbStore({ dir, idleMs: 20, checkpointBytes: 20_000, partEvents: 100 });

/** Calls come in pairs: an intent that claims an identity of its own, and the completion that settles it. */
async function drive(run: string): Promise<never> {
  let seq = (await store.readRun(run))?.eventCount ?? 0;
  if (seq === 0) {
    await store.append(run, [
      event(run, 0, { kind: "RunStarted", payload: { agent_def_hash: "x", input: null } }),
    ]);
    seq = 1;
  }
  if (seq % 2 === 0) {
    const open = seq - 1;
    await store.append(run, [completion(run, seq, open)], settling(identityOf(run, open)));
    acknowledge(run, seq);
    seq += 1;
  }
  for (; ; seq += 2) {
    const identity = identityOf(run, seq);
    await store.append(run, [intent(run, seq)], claiming(identity, seq));
    acknowledge(run, seq);
    await store.append(run, [completion(run, seq + 1, seq)], settling(identity));
    acknowledge(run, seq + 1);
  }
}

function intent(run: string, seq: number): Envelope {
  const payload = {
    seq,
    tool: "pay",
    input: { round },
    effect: "write",
    idempotency_key: identityOf(run, seq),
  } as const;
  return event(run, seq, { kind: "ToolCallRequested", payload });
}

function completion(run: string, seq: number, of: number): Envelope {
  return event(run, seq, {
    kind: "ToolCallCompleted",
    payload: { seq: of, output: `paid in round ${round}` },
  });
}

function event(run: string, seq: number, of: Envelope["event"]): Envelope {
  return envelopeOf(run, seq, new Date().toISOString(), of);
}

function identityOf(run: string, seq: number): string {
  return `${run}/${seq}`;
}

/** One short write, so that the reader never sees half a line of a process that was killed. */
function acknowledge(run: string, seq: number): void {
  writeSync(1, `${run} ${seq} ${round}\n`);
}

await Promise.all(runs.split(",").map(drive));
