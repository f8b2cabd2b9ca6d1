// npm run load [-- --minutes 10 | --seconds 20] [--json FILE]: a day's worth of load in a bounded time, against a spawned
// server on the default store, and whether anything grows that should not: memory, open files and handles, files on disk.
// Exits with 1 when something does. docs/performance.md says what is compared, and why history on disk is no growth.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { root } from "./lib/root.js";
import { runNode } from "./lib/run-node.js";
import { judgeGrowth } from "./lib/load/judge-growth.js";
import { Clients } from "./lib/load/clients.js";
import { LoadedServer } from "./lib/load/loaded-server.js";

const CLIENTS = 32;
/** How often everything is put to rest and looked at, beside the first look. */
const LOOKS = 6;
/** How long the load before the first look takes, in milliseconds: until then code is compiled and caches begin to fill. */
const WARM_UP_MS = 4_000;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seconds: { type: "string" },
    looks: { type: "string", default: String(LOOKS) },
    json: { type: "string" },
    // Takes the build as it is.
    built: { type: "boolean", default: false },
  },
});
const totalMs =
  values.seconds === undefined ? Number(values.minutes) * 60_000 : Number(values.seconds) * 1000;
const looks = Number(values.looks);
if (!(totalMs > 0) || !Number.isInteger(looks) || looks < 1) {
  console.error("--minutes and --seconds take how long the load lasts, --looks how often it is looked at");
  process.exit(2);
}

const built = values.built ? 0 : await runNode(join(root, "scripts/build.js"), ["--src"], { cwd: root });
if (built !== 0) process.exit(built);

const server = await LoadedServer.start();
const clients = new Clients(server.url, CLIENTS);
const samples = [];
try {
  await load(Math.min(WARM_UP_MS, totalMs));
  samples.push(await look());
  // What it takes to look belongs to the time that was asked for, as far as there is time.
  const until = performance.now() + totalMs;
  for (let left = looks; left > 0; left -= 1) {
    const ms = (until - performance.now()) / left - server.restMs;
    await load(Math.max(ms, Math.min(2_000, totalMs / looks)));
    samples.push(await look());
  }
} finally {
  clients.hangUp();
  await server.stop();
}

const { done, problems: unexpected } = clients;
const verdict = judgeGrowth(samples);
const report = { minutes: totalMs / 60_000, done, unexpected, samples, ...verdict };
print(report);
if (values.json !== undefined) {
  const file = resolve(values.json);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`);
}
process.exitCode = verdict.grown.length > 0 || unexpected.length > 0 ? 1 : 0;

async function load(ms) {
  await clients.work(ms);
}

/** Everything at rest: no connection is open, and the server has put away what it has to put away. */
async function look() {
  clients.hangUp();
  const sample = await server.lookAtRest(clients.runs);
  return { ...sample, requests: clients.requests, runs: clients.runs };
}

function print({ done: did, samples: all, figures, grown, unexpected: wrong }) {
  console.log(
    Object.entries(did)
      .map(([what, count]) => `${count} ${what}`)
      .join(", "),
  );
  const columns = [
    "requests",
    "runs",
    "heap_mb",
    "rss_mb",
    "handles",
    "fds",
    "streams",
    "run_files",
    "other_files",
  ];
  console.log(columns.map((name) => name.padStart(12)).join(""));
  for (const sample of all) {
    console.log(columns.map((name) => String(Math.round(sample[name] * 10) / 10).padStart(12)).join(""));
  }
  for (const { what, value, limit, unit } of figures) {
    console.log(`${what}: ${value.toFixed(1)} ${unit}, at most ${limit} ${unit}`);
  }
  for (const what of grown) console.log(`GROWN: ${what}`);
  for (const what of wrong) console.log(`UNEXPECTED: ${what}`);
}
