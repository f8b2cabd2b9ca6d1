// How fast the PostgreSQL store is, against one commit for each append on the same PostgreSQL in the same run: what a plain
// program writes (a transaction with the event and its run, through a pool of ten connections, which is what `pg` gives), and
// a bare INSERT without any check, through that pool and with a connection for every caller, as far as the server has them.
// Every way writes the same event with the settings PostgreSQL comes with: fsync and synchronous_commit are on.
// `npm run bench -- postgres`, about four minutes. SALVOR_BENCH_MS says how long each measurement takes.
import { randomUUID } from "node:crypto";
import { loadavg } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import { openPostgresStore } from "../../dist/store/index.js";
import { root } from "../lib/root.js";
import { runNode } from "../lib/run-node.js";
import { quartiles } from "../lib/quartiles.js";
import { processorClock } from "./lib/processor-time.js";

const ROUNDS = 5;
const MILLISECONDS = Number(process.env.SALVOR_BENCH_MS ?? 2000);
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

/** Calls as long as the clock allows, `callers` at a time; answers how often, and how often per second. */
async function rate(callers, call, milliseconds) {
  const runs = Array.from({ length: callers }, () => ({ id: randomUUID(), seq: 0 }));
  let done = 0;
  const start = performance.now();
  const worker = async (run) => {
    while (performance.now() - start < milliseconds) {
      await call(event(run.id, run.seq++));
      done += 1;
    }
  };
  await Promise.all(runs.map(worker));
  return { rate: (done * 1000) / (performance.now() - start), done };
}

/** What a plain program does: each append a transaction with its event and its run, whose position has to be the expected one. */
async function transaction(pool, { run_id: run, seq, ...envelope }) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rowCount } = await client.query(
      seq === 0
        ? { name: "begin-run", text: "INSERT INTO plain_runs VALUES ($1, 1, now())", values: [run] }
        : {
            name: "move-run",
            text: "UPDATE plain_runs SET next_seq = next_seq + 1, changed = now() WHERE run = $1 AND next_seq = $2",
            values: [run, seq],
          },
    );
    if (rowCount !== 1) throw new Error("the position is taken");
    await client.query(insert({ run_id: run, seq, ...envelope }));
    await client.query("COMMIT");
  } finally {
    client.release();
  }
}

function insert(envelope) {
  return {
    name: "insert",
    text: "INSERT INTO plain VALUES ($1, $2, $3, $4)",
    values: [envelope.run_id, envelope.seq, "0".repeat(64), JSON.stringify(envelope)],
  };
}

async function pooled(url, connections) {
  // One that waits for its turn is not to find its connections closed, which it would have to make anew while it is measured.
  const pool = new Pool({ connectionString: url, max: connections, idleTimeoutMillis: 0 });
  await Promise.all(Array.from({ length: connections }, () => pool.query("SELECT pg_sleep(0.05)")));
  return pool;
}

function mapValues(object, map) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));
}

/** Rates, and ratios of rates of the same round. */
function summary({ shared, processor, ...rates }) {
  const { store, ...others } = rates;
  const ratios = Object.entries(others).map(([way, values]) => [
    `store_over_${way}`,
    quartiles(store.map((value, at) => value / values[at])),
  ]);
  return {
    ...Object.fromEntries(
      Object.entries(rates).map(([way, values]) => [`${way}_per_second`, quartiles(values)]),
    ),
    ...Object.fromEntries(ratios),
    store_appends_over_commits: quartiles(shared),
    ...Object.fromEntries(
      Object.entries(processor).flatMap(([way, times]) =>
        ["node", "postgres"].map((where) => [
          `${way}_µs_in_${where}`,
          quartiles(times.map((time) => time[where])),
        ]),
      ),
    ),
  };
}

/** How many appends share a commit, by what the database says. */
async function perCommit(pool, call) {
  const commits = async () => (await pool.query("SELECT count(*)::int AS n FROM salvor.commits")).rows[0].n;
  const before = await commits();
  const { rate: found, done } = await call();
  return { found, done, shared: done / ((await commits()) - before) };
}

export async function measure() {
  // PostgreSQL is started by what the tests start it with.
  const built = await runNode(join(root, "scripts/build.js"), ["--test"], { cwd: root });
  if (built !== 0) throw new Error("the tests' own helpers cannot be built");
  const { TestPostgres } = await import("../../build/test/support/postgres.js");
  const postgres = await TestPostgres.start();
  try {
    const url = await postgres.createDatabase();
    // Everything that is measured stays open, so that no round pays for connections and first plans.
    const store = await openPostgresStore(url);
    const ten = await pooled(url, 10);
    const many = await pooled(url, MOST_CONNECTIONS);
    await ten.query(`CREATE TABLE plain (run uuid, seq integer, hash text, event text, PRIMARY KEY (run, seq));
      CREATE TABLE plain_runs (run uuid PRIMARY KEY, next_seq integer, changed timestamptz)`);
    const ways = {
      transaction_pool_of_10: (envelope) => transaction(ten, envelope),
      insert_pool_of_10: (envelope) => ten.query(insert(envelope)),
      insert_connection_each: (envelope) => many.query(insert(envelope)),
      store: (envelope) => store.append(envelope.run_id, [envelope]),
    };
    const [{ pid }] = (await ten.query("SELECT pg_backend_pid() AS pid")).rows;
    const clock = await processorClock(pid);
    const loads = [loadavg()[0]];
    const found = Object.fromEntries(
      CALLERS.map((callers) => [
        callers,
        { shared: [], processor: mapValues(ways, () => []), ...mapValues(ways, () => []) },
      ]),
    );
    for (let round = -1; round < ROUNDS; round += 1) {
      for (const callers of CALLERS) {
        for (const [way, call] of Object.entries(ways)) {
          // The first round only warms up.
          const ms = round < 0 ? Math.min(500, MILLISECONDS) : MILLISECONDS;
          const before = await clock();
          const { found: each, done, shared } = await perCommit(ten, () => rate(callers, call, ms));
          const after = await clock();
          if (round < 0) continue;
          found[callers][way].push(each);
          found[callers].processor[way].push(
            mapValues(after, (_, where) => (after[where] - before[where]) / done),
          );
          if (way === "store") found[callers].shared.push(shared);
        }
      }
      loads.push(loadavg()[0]);
    }
    await Promise.all([store.close(), ten.end(), many.end()]);
    return { load_averages: loads, milliseconds: MILLISECONDS, callers: mapValues(found, summary) };
  } finally {
    await postgres.stop();
  }
}

export function print({ load_averages: loads, milliseconds, callers: measured }) {
  const row = (name, ...cells) =>
    console.log(name.padEnd(46), cells.map((cell) => cell.padStart(10)).join(""));
  console.log(
    `${ROUNDS} interleaved rounds of ${milliseconds} ms; load averages ${loads.map((load) => load.toFixed(1)).join(" ")}`,
  );
  for (const [callers, found] of Object.entries(measured)) {
    row(`${callers} callers`, "quartile", "median", "quartile");
    for (const [name, values] of Object.entries(found)) {
      const digits = name.includes("over") ? 2 : name.includes("µs") ? 1 : 0;
      row(`  ${name.replaceAll("_", " ")}`, ...values.map((value) => value.toFixed(digits)));
    }
  }
}
