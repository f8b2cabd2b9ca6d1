import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { EventStream } from "../support/event-stream.js";
import { runSalvor } from "../support/run-salvor.js";
import { spawnServer, type SpawnedServer } from "../support/spawn-server.js";
import { BANK_PAYOUT, REFUND_CARD, toolFiles, type ToolFiles } from "../support/tool-files.js";
import { SalvorClient } from "#salvor/client/index.js";
import { envelopeOf } from "#salvor/log/events.js";

let files: ToolFiles;
before(async () => (files = await toolFiles()));
after(() => files.remove());

describe("a server that serves", () => {
  let server: SpawnedServer;
  before(async () => {
    await files.write("refund-card.toml", REFUND_CARD);
    await files.write("bank-payout.toml", BANK_PAYOUT);
    server = await spawnServer({ args: ["--client-tool", files.folder] });
  });
  after(() => server.stop());

  it("says where, which tools with effect and who closes them, where the logs live, and what to try", () => {
    assert.match(server.stdout, /^salvor listening on http:\/\/127\.0\.0\.1:[1-9]\d*\n/);
    assert.match(server.stdout, /^ {2}bank_payout +write +a person settles every call/m);
    assert.match(server.stdout, /^ {2}refund_card +write +the client may close a call/m);
    assert.ok(server.stdout.includes(server.dataDir));
    assert.ok(server.stdout.includes(`$ curl ${server.url}/v1/client-tools`));
    assert.ok(server.stdout.includes(`$ salvor list --url ${server.url}`));
  });

  it("warns once that clients are trusted as operators, naming the flag", () => {
    assert.equal(`${server.stdout}${server.stderr}`.match(/--operator-token/g)?.length, 1);
    assert.match(server.stdout, /trusted as operators.*--operator-token/);
  });

  it("publishes what the folder declares", async () => {
    const tools = await new SalvorClient({ url: server.url }).clientTools();
    assert.deepEqual(
      tools.map((tool) => tool.name),
      ["bank_payout", "refund_card"],
    );
  });

  it("keeps its folder to itself: a second server is refused and told the holder's process id", async () => {
    const { code, stderr, stdout } = await runSalvor([
      ...["serve", "--bind", "127.0.0.1:0"],
      ...["--data", server.dataDir],
    ]);
    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.match(stderr, new RegExp(`\\b${server.pid}\\b`));
    assert.match(stderr, /\nNext: .*--data/);
  });

  it("keeps its port: a second server is told so, and leaves its own folder free", async () => {
    const dataDir = join(files.folder, "second");
    const bind = new URL(server.url).host;
    const refused = await runSalvor(["serve", "--bind", bind, "--data", dataDir]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /in use/);
    assert.match(refused.stderr, /\nNext: .*--bind/);
    const second = await spawnServer({ dataDir });
    assert.deepEqual(await second.stop(), { code: 0, signal: null });
  });

  it("keeps its folder from other users of the machine", async () => {
    assert.equal((await stat(server.dataDir)).mode & 0o777, 0o700);
  });

  it("logs in JSON lines on standard error, and nothing else there", async () => {
    await new SalvorClient({ url: server.url }).runs();
    await server.said(/"route":"\/v1\/runs"/);
    const complete = server.stderr.slice(0, server.stderr.lastIndexOf("\n"));
    for (const line of complete.split("\n")) assert.equal(typeof JSON.parse(line), "object");
  });
});

describe("tokens", () => {
  let server: SpawnedServer;
  const env = { SALVOR_TEST_CLIENT: "client-secret", SALVOR_TEST_OPERATOR: "operator-secret" };
  before(async () => {
    const args = ["--auth-token", "SALVOR_TEST_CLIENT", "--operator-token", "SALVOR_TEST_OPERATOR"];
    server = await spawnServer({ args, env });
  });
  after(() => server.stop());

  it("are asked for, and neither is printed nor logged", async () => {
    await assert.rejects(new SalvorClient({ url: server.url }).runs(), { status: 401 });
    await new SalvorClient({ url: server.url, token: "client-secret" }).runs();
    await new SalvorClient({ url: server.url, token: "operator-secret" }).runs();
    await server.said(/"status":401/);
    assert.doesNotMatch(`${server.stdout}${server.stderr}`, /client-secret|operator-secret/);
  });

  it("end the warning about trusted clients", () => {
    assert.doesNotMatch(`${server.stdout}${server.stderr}`, /trusted as operators/);
  });

  it("are named, not shown, in what to try next", () => {
    assert.match(server.stdout, /curl -H "Authorization: Bearer \$SALVOR_TEST_CLIENT"/);
    assert.match(server.stdout, /salvor list --url \S+ --auth-token SALVOR_TEST_CLIENT/);
  });
});

describe("a server that is asked to stop", () => {
  const RUN = "00000000-0000-4000-8000-000000000001";
  let dataDir: string;
  before(async () => (dataDir = await mkdtemp(join(tmpdir(), "salvor-stop-"))));
  after(() => rm(dataDir, { recursive: true, force: true }));

  /** Sends the beginning of an append and waits until the server reads it: from then on it is being recorded. */
  async function beginAppend(server: SpawnedServer) {
    const opened = await new SalvorClient({ url: server.url }).openRun({ runId: RUN });
    const payload = { agent_def_hash: "desk", input: null };
    const first = envelopeOf(RUN, 0, "2026-01-01T00:00:00Z", { kind: "RunStarted", payload });
    const body = JSON.stringify({ events: [first] });
    const posting = request(`${server.url}/v1/client-runs/${RUN}/events`, {
      method: "POST",
      headers: {
        "X-Drive-Token": opened.drive_token,
        "Content-Length": Buffer.byteLength(body),
        Expect: "100-continue",
      },
    });
    posting.flushHeaders();
    await once(posting, "continue");
    posting.write(body.slice(0, 10));
    return { posting, rest: body.slice(10) };
  }

  for (const signal of ["SIGTERM", "SIGINT"] as const)
    it(`by ${signal} answers what it is recording, then exits 0, and the record is there afterwards`, async () => {
      const server = await spawnServer({ dataDir });
      const { posting, rest } = await beginAppend(server);
      process.kill(server.pid, signal);
      await server.said(/"stopping"/);
      posting.end(rest);
      const [answer] = (await once(posting, "response")) as [IncomingMessage];
      assert.equal(answer.statusCode, 200);
      // A connection that was kept alive would keep the server waiting for it.
      assert.equal(answer.headers.connection, "close");
      assert.deepEqual(await json(answer), { appended: [0] });
      assert.deepEqual(await server.ended, { code: 0, signal: null });

      const again = await spawnServer({ dataDir });
      const log = await new SalvorClient({ url: again.url }).log(RUN);
      assert.deepEqual(
        log.map((envelope) => envelope.event.kind),
        ["RunStarted"],
      );
      await again.stop();
    });

  it("ends its streams and the connections that nobody uses, and exits 0", async () => {
    const server = await spawnServer({ dataDir });
    const client = new SalvorClient({ url: server.url });
    const run = randomUUID();
    const { drive_token } = await client.openRun({ runId: run });
    const payload = { agent_def_hash: "desk", input: null };
    const first = envelopeOf(run, 0, "2026-01-01T00:00:00Z", { kind: "RunStarted", payload });
    await fetch(`${server.url}/v1/client-runs/${run}/events`, {
      method: "POST",
      headers: { "x-drive-token": drive_token },
      body: JSON.stringify({ events: [first] }),
    });
    const streams = await Promise.all(
      Array.from({ length: 20 }, () => EventStream.open(`${server.url}/v1/runs/${run}/events?follow=1`)),
    );
    for (const stream of streams) assert.equal((await stream.nextEvent())?.id, 0);
    process.kill(server.pid, "SIGTERM");
    for (const stream of streams) assert.equal(await stream.nextEvent(), undefined);
    assert.deepEqual(await server.ended, { code: 0, signal: null });
  });

  it("by a second signal ends at once", async () => {
    const server = await spawnServer({ dataDir });
    const { posting } = await beginAppend(server);
    posting.on("error", () => undefined);
    process.kill(server.pid, "SIGTERM");
    await server.said(/"stopping"/);
    process.kill(server.pid, "SIGTERM");
    assert.deepEqual(await server.ended, { code: 143, signal: null });
  });

  it("leaves nothing that keeps the next server out, even when it was killed", async () => {
    const server = await spawnServer({ dataDir });
    assert.deepEqual(await server.kill(), { code: null, signal: "SIGKILL" });
    const next = await spawnServer({ dataDir });
    assert.deepEqual(await next.stop(), { code: 0, signal: null });
  });
});

it("a server loads no compiler, which only schemas needs, and nothing for metrics or traces before somebody wants them", async () => {
  const tell = `import { createRequire } from "node:module";
    const { _cache } = createRequire("file:///")("node:module");
    process.on("SIGWINCH", () => {
      const loaded = ["typescript", "prom-client", "@opentelemetry/api"].map((name) =>
        name + " " + Object.keys(_cache).some((file) => file.includes("/node_modules/" + name + "/")));
      console.error("loaded:", loaded.join(", "));
    });`;
  const server = await spawnServer({
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tell)}` },
  });
  await new SalvorClient({ url: server.url }).runs();
  process.kill(server.pid, "SIGWINCH");
  await server.said(/^loaded: typescript false, prom-client false, @opentelemetry\/api false$/m);
  await fetch(`${server.url}/metrics`);
  process.kill(server.pid, "SIGWINCH");
  await server.said(/^loaded: typescript false, prom-client true/m);
  await server.stop();
});
