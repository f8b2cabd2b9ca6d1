import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { inspect } from "node:util";
import { TestPostgres } from "../support/postgres.js";
import { SharedServer, type Answer } from "../support/shared-servers.js";
import { REFUND_CARD, toolFiles, type ToolFiles } from "../support/tool-files.js";

const SOAK = process.env.SALVOR_SOAK === "1";
const SERVER_KILLS = SOAK ? 200 : 4;
const DATABASE_KILLS = SOAK ? 50 : 2;
const RUNS = 8;

/** For how long an answer is waited for, in milliseconds, over all that is killed meanwhile. */
const PATIENCE_MS = 60_000;

interface Fact {
  readonly seq: number;
  readonly key?: string;
  readonly output?: unknown;
}

/** Two servers, any of which may be dead at any time; whoever calls asks one and then the other until it is answered. */
class Pair {
  private readonly servers: Promise<SharedServer>[];
  /** How many requests were answered that the store cannot be reached. */
  unavailable = 0;
  private stopped = false;

  constructor(private readonly start: () => Promise<SharedServer>) {
    this.servers = [start(), start()];
  }

  async ready(): Promise<void> {
    await Promise.all(this.servers);
  }

  async kill(at: number): Promise<void> {
    const server = await this.servers[at];
    const again = (async () => {
      await server?.process.kill();
      return this.start();
    })();
    this.servers[at] = again;
    await again;
  }

  /** Whoever still calls is told so: nobody goes on asking servers that are gone. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const server of await Promise.allSettled(this.servers))
      if (server.status === "fulfilled") await server.value.process.stop();
  }

  async call(path: string, body?: unknown, drive?: string): Promise<Answer> {
    const deadline = performance.now() + PATIENCE_MS;
    let last: unknown = "nothing";
    for (let turn = randomInt(2); ; turn += 1) {
      if (this.stopped) throw new Error(`the servers were stopped before ${path} was answered`);
      if (performance.now() > deadline)
        throw new assert.AssertionError({
          message: `${path} was not answered in ${PATIENCE_MS / 1000} s; the last answer was ${inspect(last)}`,
        });
      const server = await this.servers[turn % 2];
      try {
        const headers = { connection: "close", ...(drive !== undefined && { "x-drive-token": drive }) };
        const answer = await server?.call(body === undefined ? "GET" : "POST", path, body, headers);
        if (answer === undefined) continue;
        if (answer.status !== 503) return answer;
        assert.equal(answer.json.error.code, "store_unavailable");
        assert.ok(Number(answer.headers.get("retry-after")) > 0);
        this.unavailable += 1;
        last = answer.json;
        await new Promise((later) => setTimeout(later, 20));
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        // The server died with the answer; whether the request was recorded is what this test is about.
        last = error;
        await new Promise((later) => setTimeout(later, 5));
      }
    }
  }
}

/** Refunds one order after another, each request at whichever server, and writes down what it was told is recorded. */
class Driver {
  readonly facts: Fact[] = [];
  run = "";
  private token = "";
  private next = 0;

  constructor(
    private readonly pair: Pair,
    private readonly onFact: () => void,
  ) {}

  async drive(stopping: () => boolean): Promise<void> {
    const { json } = await this.pair.call("/v1/client-runs", {});
    ({ run: this.run, drive_token: this.token } = json as { run: string; drive_token: string });
    await this.event("RunStarted", { agent_def_hash: "sha256:desk", input: {} });
    for (let order = 0; !stopping(); order += 1) await this.refund(order);
    await this.event("RunCompleted", { output: null });
  }

  async log(): Promise<{ seq: number; event: { kind: string; payload: Record<string, unknown> } }[]> {
    return (await this.pair.call(`/v1/client-runs/${this.run}/log`)).json.log;
  }

  private async refund(order: number): Promise<void> {
    const input = { order_id: `o-${order}`, amount_cents: order };
    const opened = await this.post("client-tool-intent", { seq: this.next, tool: "refund_card", input });
    this.note({ seq: this.next, key: opened.json.idempotency_key as string });
    const output = { refund_id: `re-${order}`, amount_cents: order };
    await this.post("client-tool-completion", { seq: this.next, output });
    this.note({ seq: this.next + 1, output });
    this.next += 2;
  }

  private async event(kind: string, payload: unknown): Promise<void> {
    const event = { run_id: this.run, seq: this.next, schema_version: 1, event: { kind, payload } };
    await this.post("events", { events: [event] });
    this.note({ seq: this.next });
    this.next += 1;
  }

  private async post(endpoint: string, body: unknown): Promise<Answer> {
    const answer = await this.pair.call(`/v1/client-runs/${this.run}/${endpoint}`, body, this.token);
    assert.equal(answer.status, 200, JSON.stringify(answer.json));
    return answer;
  }

  private note(fact: Fact): void {
    this.facts.push(fact);
    this.onFact();
  }
}

describe("two servers on one database, under the load of eight runs", () => {
  let postgres: TestPostgres;
  let files: ToolFiles;
  before(async () => {
    postgres = await TestPostgres.start();
    files = await toolFiles();
    await files.write("refund-card.toml", REFUND_CARD);
  });
  after(async () => {
    await Promise.all([postgres.stop(), files.remove()]);
  });

  /** Has drivers at work while something dies again and again; then everything has to be there once. */
  async function survive(deaths: number, die: (pair: Pair) => Promise<void>): Promise<string> {
    const store = await postgres.createDatabase();
    const args = ["--client-tool", files.folder, "--log-level", "silent"];
    const pair = new Pair(() => SharedServer.start(store, { args }));
    try {
      await pair.ready();
      let facts = 0;
      let awaited: { readonly count: number; readonly reached: () => void } | undefined;
      const onFact = (): void => {
        facts += 1;
        if (awaited !== undefined && facts >= awaited.count) awaited.reached();
      };
      let stopping = false;
      const drivers = Array.from({ length: RUNS }, () => new Driver(pair, onFact));
      const driving = drivers.map((driver) => driver.drive(() => stopping));
      const failed = Promise.race(
        driving.map((drive) => drive.then(() => new Promise<never>(() => undefined))),
      );
      for (let death = 0; death < deaths; death += 1) {
        const more = new Promise<void>((reached) => {
          awaited = { count: facts + randomInt(1, 60), reached };
        });
        // That facts go on after each death is also how the service is seen to resume by itself.
        await Promise.race([more, failed]);
        await die(pair);
      }
      stopping = true;
      await Promise.all(driving);
      for (const driver of drivers) {
        const log = await driver.log();
        assert.deepEqual(
          log.map(({ seq }) => seq),
          log.map((_, at) => at),
        );
        assert.equal(log.at(-1)?.event.kind, "RunCompleted");
        // One driver asks for one thing after another, so what it was told is exactly what there may be.
        assert.equal(log.length, driver.facts.length);
        for (const { seq, key, output } of driver.facts) {
          if (key !== undefined) assert.equal(log[seq]?.event.payload.idempotency_key, key);
          if (output !== undefined) assert.deepEqual(log[seq]?.event.payload.output, output);
        }
        const keys = log.flatMap(({ event }) => event.payload.idempotency_key ?? []);
        assert.equal(new Set(keys).size, keys.length);
      }
      return `${deaths} deaths, ${facts} acknowledged events, none lost, none twice; ${pair.unavailable} answers were 503`;
    } finally {
      await pair.stop();
    }
  }

  it(`keep every acknowledged event once while servers are killed (${SERVER_KILLS} kills)`, async (context) => {
    context.diagnostic(await survive(SERVER_KILLS, (pair) => pair.kill(randomInt(2))));
  });

  it(`keep every acknowledged event once while PostgreSQL is killed and started again (${DATABASE_KILLS} kills)`, async (context) => {
    context.diagnostic(
      await survive(DATABASE_KILLS, async () => {
        await postgres.kill();
        await postgres.startAgain();
      }),
    );
  });
});
