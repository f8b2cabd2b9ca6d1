import { spawnSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { quartiles } from "../../../lib/quartiles.js";
import { Connection, get } from "./connection.js";
import { Salvor } from "./salvor.js";

const ROUNDS = 10;
/** How long a server is left alone before it counts as idle, in milliseconds. */
const IDLE_MS = 1_000;

/** How long a server takes from its start until it is ready, against a node that does nothing; and what it takes when idle. */
export async function startCosts() {
  const bare = [];
  const ready = [];
  const idle = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const begun = performance.now();
    spawnSync(process.execPath, ["-e", "0"]);
    const bareMs = performance.now() - begun;
    const { ms, bytes } = await oneStart();
    // The first round reads everything from the disk.
    if (round === 0) continue;
    bare.push(bareMs);
    ready.push(ms);
    idle.push(bytes / 1e6);
  }
  return {
    bare_ms: quartiles(bare),
    ready_ms: quartiles(ready),
    ratio: quartiles(ready.map((ms, at) => ms / bare[at])),
    idle_mb: quartiles(idle),
  };
}

async function oneStart() {
  const dir = await Salvor.folder();
  const begun = performance.now();
  const salvor = await Salvor.start({ dir });
  const connection = await Connection.open(salvor.port);
  const { status } = await connection.send(get("/readyz"));
  const ms = performance.now() - begun;
  connection.close();
  if (status !== 200) throw new Error(`/readyz was answered with ${status}`);
  await pause(IDLE_MS);
  const bytes = await salvor.rss();
  await salvor.stop();
  return { ms, bytes };
}
