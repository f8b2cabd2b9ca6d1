import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { SalvorClient } from "#salvor/client/index.js";
import { spawnServer } from "../support/spawn-server.js";
import { REFUND_CARD, toolFiles } from "../support/tool-files.js";
import { toolModule } from "../support/tool-module.js";

const env = { SALVOR_TEST_CLIENT: "client-secret", SALVOR_TEST_OPERATOR: "operator-secret" };
const TOKENS = ["--auth-token", "SALVOR_TEST_CLIENT", "--operator-token", "SALVOR_TEST_OPERATOR"];

/** A busy session with something secret in everything that can hold anything; answers what no log may show. */
async function busySession(url: string, dataDir: string): Promise<readonly string[]> {
  const run = randomUUID();
  const { drive_token: token } = await new SalvorClient({ url, token: "client-secret" }).openRun({
    runId: run,
  });
  const keys: string[] = [];
  const post = async (path: string, body: unknown, bearer = "client-secret"): Promise<number> => {
    const answer = await fetch(url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${bearer}`, "x-drive-token": token },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    keys.push(...(text.match(/sha256:[0-9a-f]{64}/g) ?? []));
    return answer.status;
  };
  const own = `/v1/client-runs/${run}`;
  const event = (seq: number, kind: string, payload: unknown) => ({
    events: [{ run_id: run, seq, schema_version: 1, event: { kind, payload } }],
  });
  await post(
    `${own}/events`,
    event(0, "RunStarted", { agent_def_hash: "h", input: "payload-start", labels: { a: "payload-label" } }),
  );
  const input = { order_id: "payload-order", amount_cents: 5 };
  await post(`${own}/client-tool-intent`, { seq: 1, tool: "refund_card", input });
  await post(`${own}/client-tool-completion`, {
    seq: 1,
    output: { refund_id: "payload-refused", amount_cents: 6 },
  });
  await post(`${own}/client-tool-completion`, {
    seq: 1,
    output: { refund_id: "payload-refund", amount_cents: 5 },
  });
  await post(`${own}/client-tool-intent`, { seq: 3, tool: "payload-tool", input: {} });
  await post(`${own}/client-tool-intent`, {
    seq: 3,
    tool: "refund_card",
    input: { order_id: ["payload-shape"] },
  });
  await post(`${own}/client-model-intent`, {
    seq: 3,
    request_hash: "payload-hash",
    request_body: "payload-prompt",
  });
  await post(`${own}/client-model-completion`, {
    seq: 3,
    response: "payload-response",
    usage: { input_tokens: 1, output_tokens: 1 },
  });
  await post(`${own}/events`, event(5, "Suspended", { reason: "payload-reason", input_schema: true }));
  await post(`/v1/runs/${run}/resume`, { input: "payload-denied" });
  await post(`/v1/runs/${run}/resume`, { input: "payload-resumed" }, "operator-secret");
  await post(`${own}/client-tool-intent`, {
    seq: 7,
    tool: "refund_card",
    input: { ...input, order_id: "payload-second" },
  });
  await post(
    `/v1/runs/${run}/resolve`,
    { seq: 7, not_performed: true, note: "payload-note", operator: "payload-name" },
    "operator-secret",
  );
  await post(`${own}/events`, '{"payload-broken": ');
  await post(`${own}/events`, event(9, "RunFailed", { error: "payload-error" }), "payload-guess");
  await fetch(`${url}/v1/runs?after=payload-query`, { headers: { authorization: "Bearer client-secret" } });
  await fetch(`${url}/v1/runs/payload-path`, { headers: { authorization: "Bearer client-secret" } });
  assert.ok(keys.length >= 2);
  // The store refuses what comes now: a fault of the server, with a line about it.
  const lock = join(dataDir, "lock");
  const held = JSON.parse(await readFile(lock, "utf8")) as object;
  await writeFile(lock, JSON.stringify({ ...held, nonce: randomUUID() }));
  const last = { now: "2026-01-01T00:00:00Z", note: "payload-last" };
  let status = 200;
  for (let seq = 9; status === 200; seq += 1)
    status = await post(`${own}/events`, event(seq, "NowObserved", last));
  assert.equal(status, 503);
  return [token, "client-secret", "operator-secret", ...keys];
}

void describe("the log of a busy session", () => {
  for (const level of ["info", "trace"]) {
    it(`at ${level} holds ids, tools, codes and timings, and no payload, token or key`, async () => {
      const files = await toolFiles();
      await files.write("refund-card.toml", REFUND_CARD);
      const args = ["--client-tool", files.folder, ...TOKENS, "--log-level", level];
      const server = await spawnServer({ args, env });
      try {
        const secrets = await busySession(server.url, server.dataDir);
        await fetch(`${server.url}/healthz`, { headers: { "x-request-id": "the-end" } });
        await server.said(/"the-end"/);
        for (const expected of [
          '"tool":"refund_card"',
          '"code":"client_completion_refused"',
          '"code":"store_unavailable"',
          '"ms":',
          '"run":"',
        ])
          assert.ok(server.stderr.includes(expected), expected);
        for (const secret of ["payload", ...secrets]) assert.ok(!server.stderr.includes(secret), secret);
      } finally {
        await server.kill();
        await server.stop();
        await files.remove();
      }
    });
  }

  it("holds payloads where they are wanted, and no token even then", async () => {
    const files = await toolFiles();
    await files.write("refund-card.toml", REFUND_CARD);
    const server = await spawnServer({
      args: ["--client-tool", files.folder, ...TOKENS, "--log-payloads"],
      env,
    });
    try {
      const [token = "", client = "", operator = ""] = await busySession(server.url, server.dataDir);
      await server.said(/payload-last/);
      assert.match(server.stderr, /payload-refund/);
      for (const secret of [token, client, operator]) assert.ok(!server.stderr.includes(secret), secret);
    } finally {
      await server.kill();
      await server.stop();
      await files.remove();
    }
  });
});

const THROWING = toolModule(`
add("pay", "write", () => {
  void Promise.reject(new Error("payload-stray"));
  setImmediate(() => { throw new TypeError("payload-loose"); });
  throw new RangeError("payload-thrown", { cause: new Error("payload-cause") });
});`);

void describe("the log of a server whose tool throws", () => {
  for (const payloads of [false, true]) {
    it(`says what was thrown and where, ${payloads ? "and its text where payloads are wanted" : "and nothing of its text"}`, async () => {
      const files = await toolFiles();
      const tools = await files.write("tools.mjs", THROWING);
      const server = await spawnServer({ args: ["--tools", tools, ...(payloads ? ["--log-payloads"] : [])] });
      try {
        const opened = await fetch(`${server.url}/v1/client-runs`, { method: "POST", body: "{}" });
        const { run, drive_token } = (await opened.json()) as { run: string; drive_token: string };
        const post = (endpoint: string, body: unknown) =>
          fetch(`${server.url}/v1/client-runs/${run}/${endpoint}`, {
            method: "POST",
            headers: { "x-drive-token": drive_token },
            body: JSON.stringify(body),
          });
        const event = { kind: "RunStarted", payload: { agent_def_hash: "d", input: null } };
        await post("events", { events: [{ run_id: run, seq: 0, schema_version: 1, event }] });
        const { status } = await post("tool-step", { seq: 1, tool: "pay", input: {} });
        assert.equal(status, 409);
        await server.said(/unknown outcome/);
        await server.said(/a rejection that nobody handled/);
        await server.said(/an exception that nobody caught/);
        assert.match(server.stderr, /"RangeError".*tools\.mjs/);
        for (const text of ["payload-thrown", "payload-cause", "payload-stray", "payload-loose"])
          assert.equal(server.stderr.includes(text), payloads, text);
      } finally {
        await server.stop();
        await files.remove();
      }
    });
  }
});
