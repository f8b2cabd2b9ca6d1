import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { TestServer, type TestRun } from "../support/test-server.js";

void describe("a list of runs", () => {
  let server: TestServer;
  const runs: TestRun[] = [];
  before(async () => {
    server = await TestServer.start();
    for (const [at, labels] of [
      { team: "eu" },
      { team: "us" },
      { team: "eu", "a=b": "c" },
      undefined,
    ].entries()) {
      const run = await server.open({ started: false });
      await run.event(0, "RunStarted", { agent_def_hash: "h", input: null, ...(labels && { labels }) });
      if (at !== 1) await run.intent(1, at === 0 ? "charge_card" : "look_up", at === 0 ? { cents: 1 } : {});
      runs.push(run);
    }
  });
  after(() => server.stop());

  const list = async (query: string): Promise<readonly number[]> => {
    const { json } = await server.get(`/v1/runs?${query}`);
    return json.runs.map(({ run }: { run: string }) => runs.findIndex(({ id }) => id === run));
  };

  it("is of the runs with an open call of a tool", async () => {
    assert.deepEqual(await list("tool=look_up"), [2, 3]);
    assert.deepEqual(await list("tool=charge_card&status=needs_reconciliation"), [0]);
    assert.deepEqual(await list("tool=__proto__"), []);
    await runs[0]?.complete(1, { output: { charge: "ch_1" } });
    assert.deepEqual(await list("tool=charge_card"), []);
  });

  it("is of the runs with a label, or with a key of one", async () => {
    assert.deepEqual(await list("label=team%3Deu"), [0, 2]);
    assert.deepEqual(await list("label=team"), [0, 1, 2]);
    assert.deepEqual(await list("label=a%3Db%3Dc"), [2]);
    assert.deepEqual(await list("label=a"), []);
    assert.deepEqual(await list("label=toString"), []);
    assert.deepEqual(await list("label=team%3Deu&tool=look_up"), [2]);
  });

  it("begins with the newest when that is asked for, in pages that are full", async () => {
    assert.deepEqual(await list("order=newest"), [3, 2, 1, 0]);
    const first = await server.get("/v1/runs?order=newest&label=team&limit=2");
    assert.equal(first.json.runs.length, 2);
    const next = encodeURIComponent(first.json.next as string);
    assert.deepEqual(await list(`order=newest&label=team&limit=2&after=${next}`), [0]);
    assert.equal((await server.get("/v1/runs?order=best")).json.error.code, "bad_request");
  });
});
