// What a call costs over HTTP, on one machine, asked from a second process: against bare servers, and against DBOS Transact
// on PostgreSQL; what it costs late in a long run, and while streams are open; what a start costs. `npm run bench -- http`,
// about four minutes. Everything that is compared is measured in turns; every number is a median over rounds, with quartiles
// in the JSON. docs/performance.md says what each row means. SALVOR_BENCH_DIR chooses the disk.
import { ensureBenchPackages } from "../lib/bench-packages.js";
import { quartiles } from "../lib/quartiles.js";
import { Child } from "./lib/http/child.js";
import { Postgres } from "./lib/http/postgres.js";
import { Salvor } from "./lib/http/salvor.js";
import { startCosts } from "./lib/http/start-costs.js";

const ROUNDS = 5;
/** How long one side of a comparison is asked for in a round, in milliseconds, as far as its last rate tells. */
const TURN_MS = 700;
const RUNS = 3_000;
const STREAMS = 2_000;
const PEERS = 16;

const child = (name, options) => Child.start(new URL(`lib/http/${name}.js`, import.meta.url), options);

/** Measures sides in turns, each for about the same time; answers what each did per second, in each round. */
async function inTurns(sides) {
  const rates = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  const busy = [];
  const last = {};
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, { ask, start = 300, most = Infinity }] of Object.entries(sides)) {
      const count =
        round === 0 ? start : Math.min(most, Math.max(64, Math.round((last[name] * TURN_MS) / 1000)));
      const { per_second, busy: share } = await ask(count);
      last[name] = per_second;
      if (round === 0) continue;
      rates[name].push(per_second);
      if (share !== undefined) busy.push(share);
    }
  }
  return { rates, busy: Math.max(...busy) };
}

const ratios = (over, under) => over.map((value, at) => value / under[at]);
const summed = (rates) =>
  Object.fromEntries(Object.entries(rates).map(([name, all]) => [name, quartiles(all)]));

async function intents(salvor, loader) {
  const koa = await child("bare-koa");
  const http = await child("bare-http");
  const port = salvor.port;
  const measured = {};
  for (const connections of [16, 64]) {
    const echo = (server) => ({
      start: 6_000,
      ask: (count) => loader.ask("echoes", { port: server.ready.port, connections, count }),
    });
    const { rates, busy } = await inTurns({
      koa: echo(koa),
      // A run has one open call at a time: the completions between two turns are no part of either.
      intent: {
        start: RUNS,
        most: RUNS,
        ask: async (count) => {
          const taken = await loader.ask("intents", { port, connections, count });
          await loader.ask("completions", { port, connections, count });
          return taken;
        },
      },
      http: echo(http),
    });
    measured[connections] = {
      per_second: summed(rates),
      over_koa: quartiles(ratios(rates.intent, rates.koa)),
      over_http: quartiles(ratios(rates.intent, rates.http)),
      loader_busy_at_most: busy,
    };
  }
  await Promise.all([koa.stop(), http.stop()]);
  return measured;
}

async function steps(salvor, loader) {
  const postgres = await Postgres.start();
  const dbos = await child("dbos", { args: [postgres.url("bench")] });
  const port = salvor.port;
  const measured = {};
  for (const connections of [1, 16, 64]) {
    const start = 100 + 4 * connections;
    const ask = (what, at) => ({ start, ask: (count) => loader.ask(what, { port: at, connections, count }) });
    const { rates, busy } = await inTurns({
      dbos: ask("workflowSteps", dbos.ready.port),
      pairs: ask("pairs", port),
      in_process: { start, ask: (count) => dbos.ask("inProcess", { connections, count }) },
      steps: ask("steps", port),
    });
    measured[connections] = {
      per_second: summed(rates),
      pairs_over_dbos: quartiles(ratios(rates.pairs, rates.dbos)),
      steps_over_dbos: quartiles(ratios(rates.steps, rates.dbos)),
      steps_over_in_process: quartiles(ratios(rates.steps, rates.in_process)),
      loader_busy_at_most: busy,
    };
  }
  await dbos.stop();
  await postgres.stop();
  return measured;
}

async function positions(salvor, loader) {
  const { early, late } = await loader.ask("positions", { port: salvor.port, count: 300 });
  const cost = { early_us: quartiles(early), late_us: quartiles(late) };
  return { ...cost, ratio: cost.late_us[1] / cost.early_us[1] };
}

/** Streams that wait, each on a run of its own, and appends to other runs with and without them. */
async function streams(loader) {
  const salvor = await Salvor.start();
  const listener = await child("loader");
  const { port } = salvor;
  try {
    await loader.ask("forget");
    await loader.ask("open", { port, count: PEERS });
    await listener.ask("open", { port, count: STREAMS });
    const pairs = (count) => loader.ask("pairs", { port, connections: PEERS, count });
    await salvor.atRest(PEERS + STREAMS);
    let last = (await pairs(500)).per_second;
    const rates = { without: [], with: [] };
    const memory = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const count = Math.round((last * TURN_MS) / 1000);
      const before = await salvor.rss();
      const without = (await pairs(count)).per_second;
      await listener.ask("listen", { port, count: STREAMS });
      const withThem = (await pairs(count)).per_second;
      memory.push((await salvor.rss()) - before);
      await listener.ask("hangUp");
      // Until the server has noticed.
      await pairs(PEERS * 4);
      last = withThem;
      if (round === 0) continue;
      rates.without.push(without);
      rates.with.push(withThem);
    }
    return {
      streams: STREAMS,
      // What a first opening takes stays for the next, so it is the one that counts.
      memory_mb: Math.max(...memory) / 1e6,
      pairs_per_second: summed(rates),
      with_over_without: quartiles(ratios(rates.with, rates.without)),
    };
  } finally {
    await listener.stop();
    await salvor.stop();
  }
}

export async function measure() {
  ensureBenchPackages();
  const loader = await child("loader");
  const salvor = await Salvor.start();
  try {
    await loader.ask("open", { port: salvor.port, count: RUNS });
    return {
      rounds: ROUNDS,
      intents: await intents(salvor, loader),
      steps: await steps(salvor, loader),
      positions: await positions(salvor, loader),
      streams: await streams(loader),
      start: await startCosts(),
    };
  } finally {
    await salvor.stop();
    await loader.stop();
  }
}

const TARGETS = {
  koa: { 16: 0.9, 64: 1 },
  http: { 16: 0.45, 64: 0.55 },
  pairs: { 1: 1.5, 16: 2.5, 64: 3 },
  steps: { 1: 2, 16: 5, 64: 6 },
};

export function print({ intents: calls, steps: durable, positions: late, streams: open, start }) {
  const line = (what, measured, target, verdict) =>
    console.log(`${what.padEnd(66)}${measured.padStart(10)}${target.padStart(10)}  ${verdict}`);
  const atLeast = (what, value, target) =>
    line(what, value.toFixed(2), `>= ${target}`, value >= target ? "met" : "MISSED");
  const atMost = (what, value, target, unit = "") =>
    line(
      what,
      `${value.toFixed(unit === "" ? 2 : 0)}${unit}`,
      `<= ${target}${unit}`,
      value <= target ? "met" : "MISSED",
    );
  const rate = (what, [, median]) => line(what, median.toFixed(0), "", "");

  line("", "median", "target", "");
  for (const [connections, of] of Object.entries(calls)) {
    console.log(`${connections} connections`);
    rate("  a durable intent, per second", of.per_second.intent);
    rate("  JSON echo of bare Koa + @koa/router, per second", of.per_second.koa);
    rate("  JSON echo of bare node:http, per second", of.per_second.http);
    atLeast("  intent / Koa", of.over_koa[1], TARGETS.koa[connections]);
    atLeast("  intent / node:http", of.over_http[1], TARGETS.http[connections]);
  }
  for (const [connections, of] of Object.entries(durable)) {
    console.log(`a durable step, ${connections} drivers`);
    rate("  intent and completion, two requests, per second", of.per_second.pairs);
    rate("  POST …/steps, one request, per second", of.per_second.steps);
    rate("  DBOS over HTTP, one request, two durable writes, per second", of.per_second.dbos);
    rate("  DBOS without HTTP, one durable write, per second", of.per_second.in_process);
    atLeast("  two requests / DBOS over HTTP", of.pairs_over_dbos[1], TARGETS.pairs[connections]);
    atLeast("  steps / DBOS over HTTP", of.steps_over_dbos[1], TARGETS.steps[connections]);
    line("  steps / DBOS without HTTP", of.steps_over_in_process[1].toFixed(2), "", "");
  }
  console.log("a long run");
  rate("  a request of a lone driver at event 10, µs", late.early_us);
  rate("  a request of a lone driver at event 10 000, µs", late.late_us);
  atMost("  late / early", late.ratio, 1.2);
  console.log(`${open.streams} event streams`);
  atMost("  memory that they take", open.memory_mb, 200, " MB");
  atLeast("  appends with them / without them", open.with_over_without[1], 0.9);
  console.log("a start");
  rate("  node -e 0 until it has ended, ms", start.bare_ms);
  rate("  salvor serve until /readyz answers, ms", start.ready_ms);
  atMost("  salvor / node", start.ratio[1], 3);
  atMost("  memory of an idle server", start.idle_mb[1], 80, " MB");
}
