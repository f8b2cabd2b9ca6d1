// Loaded into a server that is measured: on SIGUSR2 it says what is left in memory once everything that can go has gone.
import { setImmediate as nextTurn } from "node:timers/promises";

process.on("SIGUSR2", async () => {
  for (let times = 4; times > 0; times -= 1) {
    globalThis.gc();
    await nextTurn();
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  const handles = process.getActiveResourcesInfo().length;
  process.stdout.write(`memory ${JSON.stringify({ rss, heap: heapUsed + external, handles })}\n`);
});
