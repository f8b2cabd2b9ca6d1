import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { spawnServer, type SpawnedServer } from "../support/spawn-server.js";

const SOAK = process.env.SALVOR_SOAK === "1";
const KILLS = SOAK ? 200 : 12;
const RUNS = 16;

const CHARGE = `
name = "charge_card"
effect = "write"
trust_completion = true
idempotency_key = ["order"]
require_equal = ["order"]
[input_schema]
type = "object"
required = ["order"]
[input_schema.properties.order]
type = "integer"
[output_schema]
type = "object"
required = ["order", "charge"]
[output_schema.properties.order]
type = "integer"
[output_schema.properties.charge]
type = "string"
`;

interface Acknowledged {
  readonly seq: number;
  readonly key?: string;
  readonly output?: unknown;
}

/** A server that is killed and started again on the same folder; whoever calls it waits until it is back. */
class MortalServer {
  private up: Promise<SpawnedServer>;
  kills = 0;

  constructor(private readonly start: () => Promise<SpawnedServer>) {
    this.up = start();
  }

  async killAndStart(): Promise<void> {
    const server = await this.up;
    this.up = server.kill().then(() => this.start());
    this.kills += 1;
    await this.up;
  }

  async stop(): Promise<void> {
    await (await this.up).stop();
  }

  /** Sends a request until it is answered: what was lost is sent again unchanged. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    drive?: string,
  ): Promise<{ status: number; json: never }> {
    for (;;) {
      const { url } = await this.up;
      try {
        const response = await fetch(url + path, {
          method,
          headers: { connection: "close", ...(drive !== undefined && { "x-drive-token": drive }) },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        return { status: response.status, json: JSON.parse(await response.text()) as never };
      } catch {
        // The answer was lost with the server; whether the request was is what this test is about.
      }
    }
  }
}

/** A driver that charges one order after another, and writes down everything that it was told is recorded. */
class Driver {
  readonly acknowledged: Acknowledged[] = [];
  run = "";
  private token = "";
  private next = 0;

  constructor(
    private readonly server: MortalServer,
    private readonly onAcknowledged: () => void,
  ) {}

  async open(): Promise<void> {
    const { json } = await this.server.call("POST", "/v1/client-runs", {});
    ({ run: this.run, drive_token: this.token } = json);
    await this.event("RunStarted", { agent_def_hash: "sha256:desk", input: { orders: "all" } });
  }

  async charge(order: number): Promise<void> {
    const intent = { seq: this.next, tool: "charge_card", input: { order } };
    const opened = await this.post("client-tool-intent", intent);
    const { idempotency_key: key } = opened as { idempotency_key: string };
    this.note({ seq: this.next, key });
    const report = { seq: this.next, output: { order, charge: `ch_${order}` } };
    await this.post("client-tool-completion", report);
    this.note({ seq: this.next + 1, output: report.output });
    this.next += 2;
  }

  async event(kind: string, payload: unknown): Promise<void> {
    const event = { run_id: this.run, seq: this.next, schema_version: 1, event: { kind, payload } };
    await this.post("events", { events: [event] });
    this.note({ seq: this.next });
    this.next += 1;
  }

  async log(): Promise<
    { seq: number; run_id: string; event: { kind: string; payload: Record<string, unknown> } }[]
  > {
    const { json } = await this.server.call("GET", `/v1/client-runs/${this.run}/log`);
    return (json as { log: never[] }).log;
  }

  private async post(endpoint: string, body: unknown): Promise<unknown> {
    const { status, json } = await this.server.call(
      "POST",
      `/v1/client-runs/${this.run}/${endpoint}`,
      body,
      this.token,
    );
    assert.equal(status, 200, JSON.stringify(json));
    return json;
  }

  private note(fact: Acknowledged): void {
    this.acknowledged.push(fact);
    this.onAcknowledged();
  }
}

void describe("a server that is killed with SIGKILL under the load of sixteen runs", () => {
  it(`keeps every acknowledged event once, in order and under its key, and every run goes on (${KILLS} kills)`, async (context) => {
    const folder = await mkdtemp(join(tmpdir(), "salvor-kill-"));
    const declaration = join(folder, "charge-card.toml");
    await writeFile(declaration, CHARGE);
    const server = new MortalServer(() =>
      spawnServer({
        dataDir: join(folder, "data"),
        args: ["--client-tool", declaration, "--log-level", "silent"],
      }),
    );
    try {
      let acknowledgements = 0;
      let awaited: { readonly count: number; readonly reached: () => void } | undefined;
      const onAcknowledged = (): void => {
        acknowledgements += 1;
        if (awaited !== undefined && acknowledgements >= awaited.count) awaited.reached();
      };
      const drivers = Array.from({ length: RUNS }, () => new Driver(server, onAcknowledged));
      let stopping = false;
      const driving = drivers.map(async (driver) => {
        await driver.open();
        for (let order = 0; !stopping; order += 1) await driver.charge(order);
        await driver.event("RunCompleted", { output: "all charged" });
      });
      const failed = Promise.race(
        driving.map((drive) => drive.then(() => new Promise<never>(() => undefined))),
      );

      for (let kill = 0; kill < KILLS; kill += 1) {
        const more = new Promise<void>((reached) => {
          awaited = { count: acknowledgements + randomInt(1, 120), reached };
        });
        await Promise.race([more, failed]);
        await server.killAndStart();
      }
      stopping = true;
      await Promise.all(driving);

      assert.equal(server.kills, KILLS);
      for (const driver of drivers) {
        const log = await driver.log();
        assert.deepEqual(
          log.map(({ seq }) => seq),
          log.map((_, at) => at),
        );
        assert.equal(log.at(-1)?.event.kind, "RunCompleted");
        // One driver asks for one thing after another, so what it was told is exactly what there may be.
        assert.equal(log.length, driver.acknowledged.length);
        for (const { seq, key, output } of driver.acknowledged) {
          const recorded = log[seq];
          assert.equal(recorded?.run_id, driver.run);
          if (key !== undefined) assert.equal(recorded.event.payload.idempotency_key, key);
          if (output !== undefined) assert.deepEqual(recorded.event.payload.output, output);
        }
        const keys = log.flatMap(({ event }) => event.payload.idempotency_key ?? []);
        assert.equal(new Set(keys).size, keys.length);
      }
      context.diagnostic(
        `${KILLS} kills, ${RUNS} runs, ${acknowledgements} acknowledged events, none lost, none twice`,
      );
    } finally {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
