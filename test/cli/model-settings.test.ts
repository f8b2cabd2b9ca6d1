import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { CliError } from "#salvor/cli/cli-error.js";
import { modelExecutorOf } from "#salvor/cli/model-settings.js";
import { SalvorClient } from "#salvor/client/index.js";
import { json, MessagesApi, refusal } from "../support/messages-api.js";
import { runSalvor } from "../support/run-salvor.js";
import { spawnServer } from "../support/spawn-server.js";

const KEY = "sk-ant-secret-key";
const MESSAGE = {
  type: "message",
  content: [{ type: "text", text: "the secret answer" }],
  usage: { input_tokens: 5, output_tokens: 6 },
};

describe("the variables that let a server call models", () => {
  it("give an executor when there is a key, and none when there is not", () => {
    assert.equal(modelExecutorOf({}), undefined);
    assert.equal(modelExecutorOf({ SALVOR_MODEL_BASE_URL: "http://127.0.0.1:1/" }), undefined);
    assert.ok(modelExecutorOf({ ANTHROPIC_API_KEY: KEY }));
    assert.ok(
      modelExecutorOf({ ANTHROPIC_API_KEY: KEY, SALVOR_MODEL_BASE_URL: "https://gateway/anthropic/" }),
    );
  });

  const faults: readonly (readonly [NodeJS.ProcessEnv, RegExp])[] = [
    [{ ANTHROPIC_API_KEY: "" }, /ANTHROPIC_API_KEY is set and empty/],
    [{ ANTHROPIC_API_KEY: `${KEY}\n` }, /ANTHROPIC_API_KEY holds a character/],
    [{ SALVOR_MODEL_BASE_URL: "" }, /SALVOR_MODEL_BASE_URL is set and empty/],
    [{ ANTHROPIC_API_KEY: KEY, SALVOR_MODEL_BASE_URL: "gateway" }, /is no http or https URL/],
    [{ ANTHROPIC_API_KEY: KEY, SALVOR_MODEL_BASE_URL: "file:///etc/passwd" }, /is no http or https URL/],
    [
      { ANTHROPIC_API_KEY: KEY, SALVOR_MODEL_BASE_URL: "https://u:secret@gateway" },
      /holds a user or a password/,
    ],
    [{ ANTHROPIC_API_KEY: KEY, SALVOR_MODEL_BASE_URL: "https://gateway?key=secret" }, /has a query/],
  ];
  for (const [env, words] of faults) {
    it(`are refused by name when they cannot be used: ${String(words)}`, () => {
      assert.throws(
        () => modelExecutorOf(env),
        (error) => {
          assert.ok(error instanceof CliError);
          assert.match(error.message, words);
          assert.ok(!error.message.includes("secret"));
          return true;
        },
      );
    });
  }

  it("stop a server from starting when they are empty", async () => {
    const args = ["serve", "--bind", "127.0.0.1:0", "--data", "/nonexistent/folder"];
    const { code, stdout, stderr } = await runSalvor(args, { env: { ANTHROPIC_API_KEY: "" } });
    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.match(stderr, /ANTHROPIC_API_KEY is set and empty/);
  });

  it("make a served run call the model there, and the log holds neither key nor words", async () => {
    const api = await MessagesApi.start();
    const env = { ANTHROPIC_API_KEY: KEY, SALVOR_MODEL_BASE_URL: `${api.url}/v0` };
    const server = await spawnServer({ env, args: ["--log-level", "trace"] });
    try {
      api.next(
        refusal(400, "invalid_request_error", `the secret question was signed with ${KEY}`),
        json(200, MESSAGE),
      );
      const client = new SalvorClient({ url: server.url });
      assert.equal((await client.capabilities()).capabilities.hosted_models, true);
      const { run, drive_token: driveToken } = await client.openRun({ runId: randomUUID() });
      const drive = { run, driveToken };
      const event = { kind: "RunStarted", payload: { agent_def_hash: "a", input: null } } as const;
      await client.appendEvents(drive, [{ run_id: run, seq: 0, schema_version: 1, recorded_at: "", event }]);
      const ask = { seq: 1, request: { messages: "the secret question" } };
      await assert.rejects(client.modelStep(drive, ask), {
        code: "model_execution",
        status: 502,
        message:
          "the provider answered 400 invalid_request_error (request req_1): the secret question was signed with [key]",
      });
      const { response, usage } = await client.modelStep(drive, ask);
      assert.deepEqual([response, usage], [MESSAGE, MESSAGE.usage]);
      assert.deepEqual(
        api.requests.map(({ path }) => path),
        ["/v0/v1/messages", "/v0/v1/messages"],
      );
    } finally {
      await server.stop();
      await api.stop();
    }
    assert.match(server.stderr, /"route":".*model-step"/);
    assert.match(server.stderr, /the provider answered 400/);
    assert.doesNotMatch(server.stderr, /secret|[Dd]eprecat/);
  });
});
