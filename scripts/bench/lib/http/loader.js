// The process that asks. It makes all its requests before it starts the clock, so that sending them is all it does then.
import { answer } from "./child.js";
import { Connection, get, post } from "./connection.js";

const TOOL = "charge_card";
const inputOf = (seq) => ({
  order: `order-${seq}`,
  amount_cents: 4200,
  note: "a line of text as long as most",
});
const outputOf = (seq) => ({ order: `order-${seq}`, receipt: "r-1f0c", amount_cents: 4200 });
const intentAt = (seq) => ({ seq, tool: TOOL, input: inputOf(seq) });
const completionAt = (seq) => ({ seq, output: outputOf(seq) });

/** The runs that this process drives, each with its next position. */
const runs = [];
const streams = [];

function request({ id, token }, endpoint, body) {
  return post(`/v1/client-runs/${id}/${endpoint}`, body, { "X-Drive-Token": token });
}

/**
 * Sends requests, over one connection for each list of them, each as soon as the one before it is answered. A list that is
 * an iterator may be shared by connections.
 *
 * @returns how many were answered in a second, and how much of that time this process was busy.
 */
async function drive(port, lists, check = accepted) {
  const connections = await Promise.all(lists.map(() => Connection.open(port)));
  const cpu = process.cpuUsage();
  const begun = performance.now();
  let sent = 0;
  await Promise.all(
    connections.map(async (connection, at) => {
      for (const bytes of lists[at]) {
        check(await connection.send(bytes));
        sent += 1;
      }
    }),
  );
  const ms = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpu);
  for (const connection of connections) connection.close();
  return { per_second: (sent * 1000) / ms, busy: (user + system) / 1000 / ms };
}

/** The same for connections that take from one list. */
function share(port, connections, requests, check) {
  return drive(port, Array.from({ length: connections }).fill(requests.values()), check);
}

function accepted({ status, body }) {
  if (status !== 200 && status !== 201) throw new Error(`answered with ${status}: ${body}`);
}

/** Opens and starts runs. */
async function open({ port, count }) {
  const opened = [];
  const openings = Array.from({ length: count }, () => post("/v1/client-runs", {}));
  await share(port, 32, openings, (given) => {
    accepted(given);
    const { run, drive_token: token } = JSON.parse(given.body);
    opened.push({ id: run, token, seq: 1 });
  });
  const starts = opened.map((run) => request(run, "events", { events: [startOf(run.id)] }));
  await share(port, 32, starts);
  runs.push(...opened);
}

function eventOf(run, seq, kind, payload) {
  const event = { kind, payload };
  return { run_id: run, seq, schema_version: 1, recorded_at: "2026-01-01T00:00:00Z", event };
}

function startOf(run) {
  return eventOf(run, 0, "RunStarted", { agent_def_hash: "sha256:bench", input: null });
}

/** One intent for each of so many runs. */
function intents({ port, connections, count }) {
  const requests = runs.slice(0, count).map((run) => request(run, "client-tool-intent", intentAt(run.seq)));
  return share(port, connections, requests);
}

/** The completions of {@link intents}. */
async function completions({ port, connections, count }) {
  const these = runs.slice(0, count);
  const requests = these.map((run) => request(run, "client-tool-completion", completionAt(run.seq)));
  const taken = await share(port, connections, requests);
  for (const run of these) run.seq += 2;
  return taken;
}

/** What {@link intents} would send, to somebody who knows no runs. */
function echoes({ port, connections, count }) {
  const run = { id: "00000000-0000-4000-8000-000000000001", token: `dt_${"0".repeat(32)}` };
  const requests = Array.from({ length: count }, () => request(run, "client-tool-intent", intentAt(1)));
  return share(port, connections, requests);
}

/** Steps of two requests each, one run for each connection; answers how many steps a second. */
async function pairs({ port, connections, count }) {
  const each = Math.ceil(count / connections);
  const lists = runs.slice(0, connections).map((run) => {
    const list = [];
    for (let left = each; left > 0; left -= 1, run.seq += 2) {
      list.push(request(run, "client-tool-intent", intentAt(run.seq)));
      list.push(request(run, "client-tool-completion", completionAt(run.seq)));
    }
    return list;
  });
  const { per_second, busy } = await drive(port, lists);
  return { per_second: per_second / 2, busy };
}

/** Steps of one request each: it closes a call and opens the next. */
async function steps({ port, connections, count }) {
  const each = Math.ceil(count / connections);
  const these = runs.slice(0, connections);
  const step = (run, ...all) => request(run, "steps", { steps: all });
  await drive(
    port,
    these.map((run) => [step(run, { tool_intent: intentAt(run.seq) })]),
  );
  const lists = these.map((run) => {
    const list = [];
    for (let left = each; left > 0; left -= 1, run.seq += 2) {
      list.push(
        step(run, { tool_completion: completionAt(run.seq) }, { tool_intent: intentAt(run.seq + 2) }),
      );
    }
    return list;
  });
  const taken = await drive(port, lists);
  await drive(
    port,
    these.map((run) => [step(run, { tool_completion: completionAt(run.seq) })]),
  );
  for (const run of these) run.seq += 2;
  return taken;
}

/** Steps of one request each at DBOS, one workflow for each connection. */
function workflowSteps({ port, connections, count }) {
  const each = Math.ceil(count / connections);
  const lists = Array.from({ length: connections }, (_, at) =>
    Array.from({ length: each }, () => post(`/step/${at}`, inputOf(1))),
  );
  return drive(port, lists);
}

/** What a step costs a lone driver around event 10 of a run and around event 10 000, in turns; in microseconds. */
async function positions({ port, count }) {
  await open({ port, count: count + 1 });
  const [long, ...short] = runs.splice(-count - 1);
  const connection = await Connection.open(port);
  const send = async (run, endpoint, body) => accepted(await connection.send(request(run, endpoint, body)));
  const now = (run, seq) => eventOf(run.id, seq, "NowObserved", { now: "2026-01-01T00:00:00Z" });
  const grow = async (run, to) => {
    while (run.seq < to) {
      const length = Math.min(1000, to - run.seq);
      await send(run, "events", { events: Array.from({ length }, (_, at) => now(run, run.seq + at)) });
      run.seq += length;
    }
  };
  await grow(long, 10_000);
  const step = async (run) => {
    const made = [
      request(run, "client-tool-intent", intentAt(run.seq)),
      request(run, "client-tool-completion", completionAt(run.seq)),
    ];
    run.seq += 2;
    const begun = performance.now();
    for (const bytes of made) accepted(await connection.send(bytes));
    return ((performance.now() - begun) * 1000) / 2;
  };
  const early = [];
  const late = [];
  for (const run of short) {
    await grow(run, 9);
    early.push(await step(run));
    late.push(await step(long));
  }
  connection.close();
  return { early, late };
}

/** Opens event streams that wait for what comes, each on a run of its own, and resolves once all of them have begun. */
async function listen({ port, count }) {
  if (runs.length < count) await open({ port, count: count - runs.length });
  for (let at = 0; at < count; at += 100) {
    const some = runs.slice(at, Math.min(count, at + 100)).map(async ({ id }) => {
      const connection = await Connection.open(port);
      streams.push(connection);
      await connection.stream(get(`/v1/runs/${id}/events?follow=1`));
    });
    await Promise.all(some);
  }
}

function hangUp() {
  for (const stream of streams.splice(0)) stream.close();
}

function forget() {
  runs.length = 0;
}

answer({
  open,
  forget,
  intents,
  completions,
  echoes,
  pairs,
  steps,
  workflowSteps,
  positions,
  listen,
  hangUp,
});
