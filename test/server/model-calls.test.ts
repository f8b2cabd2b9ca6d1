import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { envelopeOf, type RunEvent } from "#salvor/log/events.js";
import { TestServer, type Answer, type TestRun } from "../support/test-server.js";

const HASH = "sha256:request";
const REPLY = { response: { text: "hello" }, usage: { input_tokens: 3, output_tokens: 4 } };

void describe("a client's model call", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start();
  });
  after(() => server.stop());

  function ask(run: TestRun, seq: number, more: object = {}): Promise<Answer> {
    return run.post("client-model-intent", { seq, request_hash: HASH, ...more });
  }

  function reply(run: TestRun, seq: number, more: object = {}): Promise<Answer> {
    return run.post("client-model-completion", { seq, ...REPLY, ...more });
  }

  function refused({ status, json }: Answer, expected: number, code: string): void {
    assert.deepEqual([status, json.error.code], [expected, code]);
  }

  /** A run whose log ends at a model call of the server itself, and what continues it. */
  async function serverCall(...more: readonly RunEvent[]): Promise<TestRun> {
    const run = await server.open();
    const intent: RunEvent = { kind: "ModelCallRequested", payload: { seq: 1, request_hash: HASH } };
    const events = [intent, ...more].map((event, at) =>
      envelopeOf(run.id, at + 1, "2026-01-01T00:00:00.000Z", event),
    );
    await server.record(run.id, events);
    return run;
  }

  it("is recorded as the client's before it is made, and answered as open", async () => {
    const run = await server.open();
    const answer = await ask(run, 1, { performed_by: "server" });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, { seq: 1, settled: false });
    const [, intent] = await run.log();
    assert.deepEqual(intent.event, {
      kind: "ModelCallRequested",
      payload: { seq: 1, request_hash: HASH, performed_by: "client" },
    });
  });

  it("is closed with its response and usage, at the next position", async () => {
    const run = await server.open();
    await ask(run, 1);
    const answer = await reply(run, 1);
    assert.deepEqual([answer.status, answer.json], [200, { seq: 1, completed: true }]);
    const [, , completion] = await run.log();
    assert.deepEqual(
      [completion.seq, completion.event],
      [2, { kind: "ModelCallCompleted", payload: { seq: 1, ...REPLY } }],
    );
    const { json } = await server.get(`/v1/runs/${run.id}`);
    assert.deepEqual([json.status, json.usage], [{ state: "running" }, REPLY.usage]);
  });

  it("asked for again is answered as it is recorded, open or settled, and nothing is written", async () => {
    const run = await server.open();
    await ask(run, 1);
    assert.deepEqual((await ask(run, 1)).json, { seq: 1, settled: false });
    await reply(run, 1);
    assert.deepEqual((await ask(run, 1)).json, { seq: 1, settled: true, ...REPLY });
    await run.event(3, "NowObserved", { now: "2026-01-01T00:00:00Z" });
    assert.deepEqual((await ask(run, 1)).json, { seq: 1, settled: true, ...REPLY });
    assert.equal((await run.log()).length, 4);
  });

  it("is identified by position and hash: another body is the same call", async () => {
    const run = await server.open();
    await ask(run, 1, { request_body: { prompt: "a" } });
    assert.deepEqual((await ask(run, 1, { request_body: { prompt: "b" } })).json, { seq: 1, settled: false });
  });

  it("asked for twice at once is recorded once, and both are answered", async () => {
    const run = await server.open();
    const answers = await Promise.all([ask(run, 1), ask(run, 1)]);
    for (const { status, json } of answers)
      assert.deepEqual([status, json], [200, { seq: 1, settled: false }]);
    assert.equal((await run.log()).length, 2);
  });

  for (const record_prompts of [true, false, undefined]) {
    it(`has its body recorded ${record_prompts === true ? "" : "not "}in a run opened with record_prompts ${record_prompts}`, async () => {
      const { json } = await server.post("/v1/client-runs", { record_prompts });
      const drive = json.drive_token as string;
      const path = `/v1/client-runs/${json.run}`;
      const started = { kind: "RunStarted", payload: { agent_def_hash: "a", input: null } };
      const envelope = { run_id: json.run, seq: 0, schema_version: 1, event: started };
      await server.post(`${path}/events`, { events: [envelope] }, { drive });
      // Whoever opens the run again does not change the terms it was opened on.
      const again = await server.post("/v1/client-runs", {
        run_id: json.run,
        record_prompts: record_prompts !== true,
      });
      const intent = { seq: 1, request_hash: HASH, request_body: { prompt: "secret", n: [1, null] } };
      const options = { drive: again.json.drive_token as string };
      assert.equal((await server.post(`${path}/client-model-intent`, intent, options)).status, 200);
      const [, recorded] = (await server.get(`${path}/log`)).json.log;
      assert.deepEqual(
        recorded.event.payload.request_body,
        record_prompts === true ? intent.request_body : undefined,
      );
    });
  }

  it("records a null body as what it is", async () => {
    const { json } = await server.post("/v1/client-runs", { record_prompts: true });
    const drive = json.drive_token as string;
    const path = `/v1/client-runs/${json.run}`;
    const started = { kind: "RunStarted", payload: { agent_def_hash: "a", input: null } };
    await server.post(
      `${path}/events`,
      { events: [{ run_id: json.run, seq: 0, schema_version: 1, event: started }] },
      { drive },
    );
    const intent = { seq: 1, request_hash: HASH, request_body: null };
    await server.post(`${path}/client-model-intent`, intent, { drive });
    const [, recorded] = (await server.get(`${path}/log`)).json.log;
    assert.equal(recorded.event.payload.request_body, null);
  });

  it("diverges from a recorded one with another hash, or from an event of another kind", async () => {
    const run = await server.open();
    await ask(run, 1);
    const other = await ask(run, 1, { request_hash: "sha256:other" });
    refused(other, 409, "divergence");
    assert.match(other.json.error.message, /sha256:other.*sha256:request/);
    refused(await ask(run, 0), 409, "divergence");
    await reply(run, 1);
    refused(await ask(run, 2), 409, "divergence");
    await run.intent(3, "charge_card", { cents: 1 });
    refused(await ask(run, 3), 409, "divergence");
    assert.equal((await run.log()).length, 4);
  });

  it("is held to the append guard, and nothing is written on a refusal", async () => {
    const run = await server.open({ started: false });
    refused(await ask(run, 0), 409, "divergence");
    const begun = await server.open();
    refused(await ask(begun, 2), 409, "divergence");
    await ask(begun, 1);
    refused(await ask(begun, 2), 409, "divergence");
    refused(await begun.intent(2, "charge_card", { cents: 1 }), 409, "divergence");
    assert.equal((await begun.log()).length, 2);
    assert.equal((await run.log()).length, 0);
  });

  it("reported again is recognised at any later time, and diverges with another content", async () => {
    const run = await server.open();
    await ask(run, 1);
    await reply(run, 1);
    await run.event(3, "RunCompleted", { output: null });
    const again = await reply(run, 1, { usage: { output_tokens: 4, input_tokens: 3 } });
    assert.deepEqual([again.status, again.json], [200, { seq: 1, completed: true }]);
    refused(await reply(run, 1, { response: { text: "bye" } }), 409, "divergence");
    refused(await reply(run, 1, { usage: { input_tokens: 3, output_tokens: 5 } }), 409, "divergence");
    assert.equal((await run.log()).length, 4);
  });

  it("keeps of the usage what the contract names", async () => {
    const run = await server.open();
    await ask(run, 1);
    const usage = { ...REPLY.usage, cached_tokens: 2 };
    await reply(run, 1, { usage });
    assert.equal((await reply(run, 1, { usage })).status, 200);
    assert.deepEqual((await ask(run, 1)).json.usage, REPLY.usage);
  });

  it("is only completed where the log ends at its intent", async () => {
    const run = await server.open();
    for (const seq of [0, 1, 7]) refused(await reply(run, seq), 409, "divergence");
    await run.intent(1, "charge_card", { cents: 1 });
    refused(await reply(run, 1), 409, "divergence");
    assert.equal((await run.log()).length, 2);
    const tool = await server.open();
    await ask(tool, 1);
    refused(await tool.complete(1, { output: {} }), 409, "divergence");
  });

  it("performed by this server is asked for by no client, and completed by none", async () => {
    const run = await serverCall();
    const asked = await ask(run, 1);
    refused(asked, 409, "divergence");
    assert.match(asked.json.error.message, /performed by this server/);
    const reported = await reply(run, 1);
    refused(reported, 403, "client_completion_refused");
    assert.match(reported.json.error.message, /performed by this server/);
    assert.equal((await run.log()).length, 2);
  });

  it("performed and completed by this server is a divergence for a client that asks", async () => {
    const run = await serverCall({ kind: "ModelCallCompleted", payload: { seq: 1, ...REPLY } });
    refused(await ask(run, 1), 409, "divergence");
  });

  it("survives a restart: the old token goes on, and an open call is still open", async () => {
    const run = await server.open();
    await ask(run, 1);
    await server.restart();
    assert.deepEqual((await ask(run, 1)).json, { seq: 1, settled: false });
    assert.equal((await reply(run, 1)).status, 200);
  });

  it("with a body of another shape is 400, and says what is missing", async () => {
    const run = await server.open();
    for (const body of [{}, { seq: 1 }, { seq: 1, request_hash: 7 }, { seq: -1, request_hash: HASH }, []]) {
      refused(await run.post("client-model-intent", body), 400, "bad_request");
    }
    await ask(run, 1);
    for (const body of [
      { seq: 1 },
      { seq: 1, response: 1 },
      { response: 1, usage: REPLY.usage },
      { seq: 1, response: 1, usage: {} },
      { seq: 1, response: 1, usage: { input_tokens: -1, output_tokens: 0 } },
      { seq: 1, response: 1, usage: { input_tokens: 0.5, output_tokens: 0 } },
    ]) {
      const answer = await run.post("client-model-completion", body);
      refused(answer, 400, "bad_request");
      assert.ok(answer.json.error.details.violations.length > 0);
    }
    assert.equal((await run.log()).length, 2);
  });

  it("is its driver's alone", async () => {
    const run = await server.open();
    for (const endpoint of ["client-model-intent", "client-model-completion"]) {
      const path = `${run.path}/${endpoint}`;
      refused(await server.post(path, {}), 401, "missing_drive_token");
      refused(await server.post(path, {}, { drive: "dt_0" }), 403, "invalid_drive_token");
    }
  });
});
