import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { assertDescribed } from "../support/contract.js";
import { spawnServer, type SpawnedServer } from "../support/spawn-server.js";
import { REFUND_CARD, toolFiles, type ToolFiles } from "../support/tool-files.js";

interface Answered {
  readonly status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any;
}

const REFUND = { order_id: "o-1", amount_cents: 500 };
const RECEIPT = { refund_id: "r-1", amount_cents: 500 };

void describe("a restart after SIGKILL, to a client that was driving", () => {
  let files: ToolFiles;
  let server: SpawnedServer;
  const run = randomUUID();
  let token = "";
  let superseded = "";

  async function call(method: string, path: string, body?: unknown, drive = token): Promise<Answered> {
    const { status, headers, ...response } = await ask(method, path, body, drive);
    assertDescribed({ method, path, status, headers, text: response.text });
    return { status, json: JSON.parse(response.text) };
  }
  async function ask(method: string, path: string, body: unknown, drive: string) {
    const response = await fetch(server.url + path, {
      method,
      headers: { "x-drive-token": drive },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  const drive = (endpoint: string, body: unknown, by = token) =>
    call("POST", `/v1/client-runs/${run}/${endpoint}`, body, by);
  const event = (seq: number, kind: string, payload: unknown) => ({
    events: [{ run_id: run, seq, schema_version: 1, event: { kind, payload } }],
  });
  const start = () => spawnServer({ dataDir: files.folder + "/data", args: ["--client-tool", files.folder] });

  before(async () => {
    files = await toolFiles();
    await files.write("refund-card.toml", REFUND_CARD);
    server = await start();
    superseded = (await call("POST", "/v1/client-runs", { run_id: run, record_prompts: true })).json
      .drive_token;
    // Taken over, on other terms that do not count any more.
    token = (await call("POST", "/v1/client-runs", { run_id: run, record_prompts: false })).json.drive_token;
    await drive("events", event(0, "RunStarted", { agent_def_hash: "desk", input: null }));
    await drive("client-tool-intent", { seq: 1, tool: "refund_card", input: REFUND });
    for (const amount_cents of [1, 2])
      await drive("client-tool-completion", { seq: 1, output: { ...RECEIPT, amount_cents } });
    await server.kill();
    server = await start();
  });
  after(async () => {
    await server.stop();
    await files.remove();
  });

  it("leaves its token driving, and the one that it superseded refused", async () => {
    const refused = await drive(
      "client-tool-intent",
      { seq: 1, tool: "refund_card", input: REFUND },
      superseded,
    );
    assert.deepEqual([refused.status, refused.json.error.code], [403, "invalid_drive_token"]);
    const known = await drive("client-tool-intent", { seq: 1, tool: "refund_card", input: REFUND });
    assert.deepEqual([known.status, known.json.settled], [200, false]);
  });

  it("keeps why its reports were refused, and that a person has to look", async () => {
    const { json } = await call("GET", `/v1/runs/${run}`);
    assert.deepEqual(
      json.refused_reports.map(({ seq, code, output }: Record<string, unknown>) => [seq, code, output]),
      [1, 2].map((amount_cents) => [1, "client_completion_refused", { ...RECEIPT, amount_cents }]),
    );
    for (const { message } of json.refused_reports) assert.match(message, /require_equal/);
    const waiting = await call("GET", "/v1/runs?group=waiting");
    assert.deepEqual(
      waiting.json.runs.map((listed: { run: string }) => listed.run),
      [run],
    );
  });

  it("keeps the identity claimed, by the call that claimed it, until that settles it", async () => {
    await drive("client-tool-completion", { seq: 1, output: RECEIPT });
    const copied = await drive("client-tool-intent", { seq: 3, tool: "refund_card", input: REFUND });
    assert.deepEqual([copied.json.settled, copied.json.output], [true, RECEIPT]);
    await drive("client-tool-intent", { seq: 5, tool: "refund_card", input: { ...REFUND, order_id: "o-2" } });
    await server.kill();
    server = await start();
    const again = await drive("steps", {
      steps: [
        { tool_completion: { seq: 5, error: { message: "declined" } } },
        { tool_intent: { seq: 7, tool: "refund_card", input: { ...REFUND, order_id: "o-2" } } },
      ],
    });
    assert.equal(again.status, 200);
    assert.equal(again.json.results[1].settled, false);
    await server.kill();
    server = await start();
    const settled = await drive("client-tool-completion", { seq: 7, output: RECEIPT });
    assert.equal(settled.status, 200);
    const third = await drive("client-tool-intent", { seq: 9, tool: "refund_card", input: REFUND });
    assert.deepEqual([third.json.settled, third.json.output], [true, RECEIPT]);
  });

  it("keeps the terms on which it was opened, and whose it is", async () => {
    await drive("client-model-intent", { seq: 11, request_hash: "h", request_body: { prompt: "p" } });
    const { json } = await call("GET", `/v1/client-runs/${run}/log?from_seq=11`);
    const [{ event: recorded }] = json.log;
    assert.deepEqual(recorded.payload.request_body, { prompt: "p" });
    const reopened = await call("POST", "/v1/client-runs", { run_id: run });
    assert.deepEqual([reopened.status, reopened.json.log.length], [200, 12]);
    const late = await drive("client-model-completion", {
      seq: 11,
      response: "",
      usage: { input_tokens: 1, output_tokens: 1 },
    });
    assert.deepEqual([late.status, late.json.error.code], [403, "invalid_drive_token"]);
    token = reopened.json.drive_token;
    assert.equal(
      (
        await drive("client-model-completion", {
          seq: 11,
          response: "",
          usage: { input_tokens: 1, output_tokens: 1 },
        })
      ).status,
      200,
    );
  });
});
