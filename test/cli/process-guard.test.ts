import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { SalvorClient } from "#salvor/client/index.js";
import { spawnServer } from "../support/spawn-server.js";

const RUN = "00000000-0000-4000-8000-000000000001";
const PLANT = pathToFileURL(join(import.meta.dirname, "../../../test/cli/fixtures/plant.mjs"));

void describe("an error in a server that reaches nobody", () => {
  let dataDir: string;
  before(async () => (dataDir = await mkdtemp(join(tmpdir(), "salvor-guard-"))));
  after(() => rm(dataDir, { recursive: true, force: true }));
  const start = () => spawnServer({ dataDir, env: { NODE_OPTIONS: `--import=${PLANT.href}` } });

  it("is logged when it is a rejection, and the server goes on", async () => {
    const server = await start();
    const client = new SalvorClient({ url: server.url });
    await client.openRun({ runId: RUN });
    for (let time = 1; time <= 3; time += 1) {
      process.kill(server.pid, "SIGUSR2");
      await server.said(new RegExp(`(?:planted text[^]*){${time}}`));
      assert.deepEqual(await client.log(RUN), []);
    }
    assert.match(server.stderr, /"level":50.*planted rejection.*a rejection that nobody handled/);
    assert.deepEqual(await server.stop(), { code: 0, signal: null });
  });

  it("ends the server when it is an exception, not silently, and the next one goes on from what is on disk", async () => {
    const server = await start();
    const { drive_token } = await new SalvorClient({ url: server.url }).openRun({ runId: RUN });
    process.kill(server.pid, "SIGWINCH");
    assert.deepEqual(await server.ended, { code: 1, signal: null });
    assert.match(server.stderr, /"level":60.*planted exception.*an exception that nobody caught/);

    const next = await start();
    const event = { kind: "RunStarted", payload: { agent_def_hash: "desk", input: null } };
    const answer = await fetch(`${next.url}/v1/client-runs/${RUN}/events`, {
      method: "POST",
      headers: { "x-drive-token": drive_token },
      body: JSON.stringify({ events: [{ run_id: RUN, seq: 0, schema_version: 1, event }] }),
    });
    assert.deepEqual(await answer.json(), { appended: [0] });
    await next.stop();
  });
});
