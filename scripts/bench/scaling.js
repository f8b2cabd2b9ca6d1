// How many runs and events a second one PostgreSQL carries for several servers: processes of their own, each with 64 runs
// under way, each run ten events (a start, four calls that claim and settle an identity, an end). What docs/scaling.md says
// comes from here. `npm run bench -- scaling`, about a minute. SALVOR_BENCH_MS says how long each measurement takes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Client } from "pg";
import { root } from "../lib/root.js";
import { runNode } from "../lib/run-node.js";

const MILLISECONDS = Number(process.env.SALVOR_BENCH_MS ?? 8000);
const PROCESSES = [1, 2, 4];
const CALLERS = 64;

const WORKER = `
import { randomUUID } from "node:crypto";
import { openPostgresStore } from ${JSON.stringify(new URL("../../dist/store/index.js", import.meta.url).href)};
const store = await openPostgresStore(process.env.URL);
let runs = 0, events = 0;
const until = performance.now() + ${MILLISECONDS};
async function drive() {
  while (performance.now() < until) {
    const run = randomUUID();
    let seq = 0;
    const append = async (kind, payload, identities = []) => {
      const envelope = { run_id: run, seq, schema_version: 1, recorded_at: new Date().toISOString(), event: { kind, payload } };
      seq += 1;
      await store.append(run, [envelope], { identities });
      events += 1;
    };
    await append("RunStarted", { agent_def_hash: "sha256:bench", input: { ticket: "a line of text as long as most" } });
    for (let call = 0; call < 4; call += 1) {
      const identity = "sha256:" + run + call, at = seq;
      await append("ToolCallRequested", { seq: at, tool: "charge_card", input: { order: run, amount_cents: 4200 },
        effect: "write", idempotency_key: identity, performed_by: "client" }, [{ change: "claim", identity, seq: at }]);
      await append("ToolCallCompleted", { seq: at, output: { charge: "ch_" + run, amount_cents: 4200 } }, [{ change: "settle", identity }]);
    }
    await append("RunCompleted", { output: "done" });
    runs += 1;
  }
}
const begun = performance.now();
await Promise.all(Array.from({ length: ${CALLERS} }, drive));
const seconds = (performance.now() - begun) / 1000;
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ runs: runs / seconds, events: events / seconds, cpu_us: (user + system) / events }));
await store.close();
`;

async function work(url) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", WORKER], {
    env: { ...process.env, URL: url },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (said += text));
  await once(child, "close");
  return JSON.parse(said);
}

async function look(url) {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`SELECT (SELECT count(*)::int FROM salvor.events) AS events,
    (SELECT sum(pg_total_relation_size(c.oid))::float8 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'salvor' AND c.relkind = 'r') AS bytes`);
  const times = [];
  for (let round = 0; round < 20; round += 1) {
    const begun = performance.now();
    await client.query(
      "SELECT run FROM salvor.runs WHERE first_recorded_at <> '' ORDER BY first_recorded_at, run LIMIT 100",
    );
    times.push(performance.now() - begun);
  }
  await client.end();
  times.sort((a, b) => a - b);
  return {
    events: rows[0].events,
    bytes_per_event: rows[0].bytes / rows[0].events,
    page_of_100_ms: times[10],
  };
}

export async function measure() {
  const built = await runNode(join(root, "scripts/build.js"), ["--test"], { cwd: root });
  if (built !== 0) throw new Error("the tests' own helpers cannot be built");
  const { TestPostgres } = await import("../../build/test/support/postgres.js");
  const postgres = await TestPostgres.start();
  try {
    const url = await postgres.createDatabase();
    const rates = {};
    for (const count of PROCESSES) {
      const all = await Promise.all(Array.from({ length: count }, () => work(url)));
      const sum = (key) => all.reduce((total, each) => total + each[key], 0);
      rates[count] = { runs: sum("runs"), events: sum("events"), server_cpu_us: sum("cpu_us") / count };
    }
    return { rates, database: await look(url) };
  } finally {
    await postgres.stop();
  }
}

export function print({ rates, database }) {
  for (const [count, { runs, events, server_cpu_us: cpu }] of Object.entries(rates)) {
    console.log(
      `${count} server processes: ${runs.toFixed(0)} runs/s, ${events.toFixed(0)} events/s, ${cpu.toFixed(0)} µs of a server's CPU each`,
    );
  }
  const { events, bytes_per_event: bytes, page_of_100_ms: page } = database;
  console.log(
    `${events} events take ${bytes.toFixed(0)} bytes each; a page of 100 runs takes ${page.toFixed(1)} ms`,
  );
}
