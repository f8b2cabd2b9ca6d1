// How fast the PostgreSQL store is, against one plain insert per commit on the same PostgreSQL in the same run: through a
// pool of ten connections, which is what `pg` gives, and with a connection for every caller, as far as the server has them.
// `npm run bench -- postgres`, about two minutes. SALVOR_BENCH_MS says how long each measurement takes.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { Pool } from "pg";
import { openPostgresStore } from "../../dist/store/index.js";
import { root } from "../lib/root.js";
import { runNode } from "../lib/run-node.js";

const ROUNDS = 5;
const MILLISECONDS = Number(process.env.SALVOR_BENCH_MS ?? 1500);
const CALLERS = [1, 16, 64, 256];
const MOST_CONNECTIONS = 100;

function event(run, seq) {
  const payload = {
    seq,
    tool: "charge_card",
    input: { order: `order-${seq}`, amount_cents: 4200, note: "a line of text as long as most" },
    effect: "write",
    idempotency_key: `sha256:${"0".repeat(64)}`,
    performed_by: "client",
  };
  const of =
    seq === 0
      ? { kind: "RunStarted", payload: { agent_def_hash: "sha256:bench", input: null } }
      : { kind: "ToolCallRequested", payload };
  return { run_id: run, seq, schema_version: 1, recorded_at: new Date().toISOString(), event: of };
}

/** Calls as long as the clock allows, `callers` at a time; answers how often per second. */
async function rate(callers, call) {
  const runs = Array.from({ length: callers }, () => ({ id: randomUUID(), seq: 0 }));
  let done = 0;
  const start = performance.now();
  const worker = async (run) => {
    while (performance.now() - start < MILLISECONDS) {
      await call(event(run.id, run.seq++));
      done += 1;
    }
  };
  await Promise.all(runs.map(worker));
  return (done * 1000) / (performance.now() - start);
}

async function insertRate(url, callers, connections) {
  const pool = new Pool({ connectionString: url, max: connections });
  try {
    await pool.query(
      "CREATE TABLE IF NOT EXISTS plain (run uuid, seq integer, hash text, event text, PRIMARY KEY (run, seq))",
    );
    await Promise.all(Array.from({ length: connections }, () => pool.query("SELECT 1")));
    return await rate(callers, (envelope) =>
      pool.query({
        name: "insert",
        text: "INSERT INTO plain VALUES ($1, $2, $3, $4)",
        values: [envelope.run_id, envelope.seq, "0".repeat(64), JSON.stringify(envelope)],
      }),
    );
  } finally {
    await pool.end();
  }
}

async function storeRate(url, callers, options) {
  const store = await openPostgresStore(url, options);
  try {
    return await rate(callers, (envelope) => store.append(envelope.run_id, [envelope]));
  } finally {
    await store.close();
  }
}

function quartiles(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return [0.25, 0.5, 0.75].map((part) => sorted[Math.round((sorted.length - 1) * part)]);
}

export async function measure() {
  // PostgreSQL is started by what the tests start it with.
  const built = await runNode(join(root, "scripts/build.js"), ["--test"], { cwd: root });
  if (built !== 0) throw new Error("the tests' own helpers cannot be built");
  const { TestPostgres } = await import("../../build/test/support/postgres.js");
  const postgres = await TestPostgres.start();
  try {
    const url = await postgres.createDatabase();
    const found = new Map(CALLERS.map((callers) => [callers, { pooled: [], each: [], store: [] }]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [callers, rates] of found) {
        rates.pooled.push(await insertRate(url, callers, 10));
        rates.each.push(await insertRate(url, callers, Math.min(callers, MOST_CONNECTIONS)));
        rates.store.push(await storeRate(url, callers));
      }
    }
    return Object.fromEntries(
      [...found].map(([callers, { pooled, each, store }]) => [
        callers,
        {
          insert_pool_of_10_per_second: quartiles(pooled),
          insert_connection_each_per_second: quartiles(each),
          store_per_second: quartiles(store),
          store_over_pool_of_10: quartiles(store.map((value, at) => value / pooled[at])),
          store_over_connection_each: quartiles(store.map((value, at) => value / each[at])),
        },
      ]),
    );
  } finally {
    await postgres.stop();
  }
}

export function print(measured) {
  const row = (name, ...cells) =>
    console.log(name.padEnd(46), cells.map((cell) => cell.padStart(10)).join(""));
  for (const [callers, found] of Object.entries(measured)) {
    row(`${callers} callers`, "quartile", "median", "quartile");
    for (const [name, values] of Object.entries(found)) {
      const digits = name.includes("over") ? 2 : 0;
      row(`  ${name.replaceAll("_", " ")}`, ...values.map((value) => value.toFixed(digits)));
    }
  }
}
