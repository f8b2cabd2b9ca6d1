// A queue of refunds, a worker that is killed again and again, and the books at the end.
//
//   node dist/main.js [--messages 1000] [--kills 10]
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SalvorClient } from "salvor/client";
import { checkBooks } from "./check-books.js";
import { ProcessOf } from "./process-of.js";
import { ProgressBar } from "./progress-bar.js";
import { Provider, type Moment } from "./provider.js";
import { Queue, type Message } from "./queue.js";

const SALVOR = fileURLToPath(import.meta.resolve("../../../dist/cli/main.js"));
const WORKER = fileURLToPath(import.meta.resolve("./worker.js"));
const DECLARATIONS = fileURLToPath(import.meta.resolve("../declarations"));

/** Where a worker dies, in turn: before its refund is made, after it and before the worker hears of it, and after that. */
const MOMENTS = ["asked", "paid", "done"] as const;

const { values } = parseArgs({
  options: { messages: { type: "string", default: "1000" }, kills: { type: "string", default: "10" } },
});
const count = Number(values.messages);
const kills = Number(values.kills);

const folder = mkdtempSync(join(tmpdir(), "salvor-queue-"));
mkdirSync(join(folder, "queue"));
const queue = new Queue(join(folder, "queue"));
const messages: readonly Message[] = Array.from({ length: count }, (_, at) => ({
  id: at + 1,
  refund: { order_id: `A-${at + 1}`, amount_cents: 100 + ((at * 37) % 9_900) },
}));
queue.fill(messages);

const bar = new ProgressBar(count);
let done = 0;
let killed = 0;
let worker: ProcessOf | undefined;

/** Kills the worker when it is time, and it is at the moment that it is to die at; answers whether it lives. */
async function passing(moment: Moment | "done"): Promise<boolean> {
  const isTime = done >= ((killed + 1) * count) / (kills + 1);
  if (worker?.isAlive !== true) return false;
  if (killed >= kills || !isTime || moment !== MOMENTS[killed % MOMENTS.length]) return true;
  killed += 1;
  await worker.kill();
  return false;
}

const provider = new Provider(join(folder, "ledger.jsonl"), passing);
const server = new ProcessOf([
  SALVOR,
  "serve",
  "--bind",
  "127.0.0.1:0",
  "--data",
  join(folder, "salvor-data"),
  "--client-tool",
  DECLARATIONS,
]);
const begun = performance.now();
try {
  const PROVIDER_URL = await provider.listen();
  const SALVOR_URL = await server.says(/^salvor listening on (http:\S+)$/);
  console.log(`${count} refunds, and a worker that is killed ${kills} times with SIGKILL`);
  for (let left = count; left > 0; left = queue.pending().length) {
    // What a worker acknowledged and could not say any more counts, too.
    done = count - left;
    worker = new ProcessOf([WORKER, join(folder, "queue")], { SALVOR_URL, PROVIDER_URL });
    for await (const line of worker.lines) {
      if (!/^\d+$/.test(line)) continue;
      done += 1;
      bar.show(done, `done, killed ${killed} times`);
      await passing("done");
    }
    const how = await worker.ended;
    if (how !== "0" && how !== "SIGKILL") throw new Error(`the worker ended with ${how}:\n${worker.stderr}`);
  }
  const wrong = await checkBooks(messages, provider.ledger, new SalvorClient({ url: SALVOR_URL }));
  for (const what of wrong) console.error(what);
  if (killed !== kills) console.error(`the worker was killed ${killed} times, not ${kills}`);
  process.exitCode = wrong.length === 0 && killed === kills ? 0 : 1;
  if (process.exitCode === 0) {
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    console.log(`The books agree: ${count} refunds were due, and each was made once. (${seconds} s)`);
  }
} finally {
  await worker?.kill();
  await server.kill();
  provider.close();
  rmSync(folder, { recursive: true, force: true });
}
