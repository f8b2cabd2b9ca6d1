import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { journalFile, scriptedProgram } from "../../support/mcp-servers.js";
import { spawnServer } from "../../support/spawn-server.js";
import { SalvorClient } from "#salvor/client/index.js";
import type { JsonObject } from "#salvor/contract/json.js";
import { envelopeOf } from "#salvor/log/events.js";

const pay = { name: "pay", inputSchema: { type: "object", properties: { amount: { type: "integer" } } } };
const requestedSchema = { type: "object", properties: { sure: { type: "boolean" } }, required: ["sure"] };
const question = { method: "elicitation/create", params: { message: "Pay?", requestedSchema } };
const asks = {
  does: "answer",
  result: { resultType: "input_required", inputRequests: { confirm: question }, requestState: "s" },
} as const;
const answer = (content: JsonObject): JsonObject => ({
  __salvor_answer: { requestState: "s", inputResponses: { confirm: { action: "accept", content } } },
});

it("a driver carries the answer that an operator gave to this call, and no other", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "salvor-carried-"));
  const { file: journal, journal: lines, remove } = await journalFile();
  const { command, args } = scriptedProgram({
    modern: true,
    tools: [pay],
    journal,
    calls: { pay: [asks, { does: "tell" }] },
  });
  const file = join(folder, "servers.toml");
  await writeFile(
    file,
    `[servers.shop]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`,
  );
  const server = await spawnServer({
    args: ["--mcp", file, "--auth-token", "TEST_CLIENT", "--operator-token", "TEST_OPERATOR"],
    env: { TEST_CLIENT: "client-secret", TEST_OPERATOR: "operator-secret" },
  });
  t.after(async () => {
    await server.stop();
    await remove();
    await rm(folder, { recursive: true, force: true });
  });
  const client = new SalvorClient({ url: server.url, token: "client-secret" });
  const operator = new SalvorClient({ url: server.url, operatorToken: "operator-secret" });
  const run = randomUUID();
  const { drive_token: driveToken } = await client.openRun({ runId: run });
  const started = { kind: "RunStarted", payload: { agent_def_hash: "desk", input: null } } as const;
  await client.appendEvents({ run, driveToken }, [envelopeOf(run, 0, "2026-01-01T00:00:00Z", started)]);
  const step = (seq: number, input: JsonObject) =>
    client.toolStep({ run, driveToken }, { seq, tool: "pay", input });
  const sent = async () => (await lines()).filter((line) => line.call === "pay").length;
  const given = answer({ sure: true });
  const forged = { code: "divergence", message: /carries an answer that the run was never resumed with/ };

  // Before anybody was asked, and while somebody is.
  await assert.rejects(step(1, { amount: 5, ...given }), forged);
  assert.equal(await sent(), 0);
  assert.ok("suspended" in (await step(1, { amount: 5 })));
  await assert.rejects(step(3, { amount: 5, ...given }));
  await operator.resume(run, { seq: 3, input: given });

  // Another answer, another amount, another tool's place; then what was said.
  for (const input of [{ amount: 5, ...answer({ sure: false }) }, { amount: 500, ...given }, { ...given }])
    await assert.rejects(step(5, input), forged);
  assert.equal(await sent(), 1);
  assert.ok("output" in (await step(5, { amount: 5, ...given })));
  assert.equal(await sent(), 2);
  assert.equal((await client.log(run)).filter(({ event }) => event.kind === "ToolCallRequested").length, 2);
});
