import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { SalvorClient, type RunWait } from "#salvor/client/index.js";
import { TestServer } from "../../client/support/server.js";
import { ALL } from "../../client/support/tools.js";
import { scriptedTurn, type Turn } from "../support/desk.js";
import { Guide } from "../support/guide.js";
import { ScriptedMessages } from "./support/scripted-messages.js";

const SCRIPT: readonly Turn[] = [
  { text: "", calls: [{ id: "c1", tool: "refund_card", input: { order_id: "A-17", amount_cents: 500 } }] },
  { text: "Refunded.", calls: [] },
];

describe("docs/anthropic.md", () => {
  let guide: Guide;
  let server: TestServer;
  let model: ScriptedMessages;
  before(async () => {
    guide = await Guide.compile("docs/anthropic.md");
    server = await TestServer.start(ALL);
    model = await ScriptedMessages.start((results) => scriptedTurn(results, SCRIPT));
  });
  after(async () => {
    await model.stop();
    await server.remove();
    await guide.remove();
  });

  it("shows a program that waits for a person, and goes on when it is started again", async () => {
    const env = { SALVOR_URL: server.url, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "none" };
    await guide.breakNextPayment();
    const { run, wait } = (await guide.runFirst(env)) as { run: string; wait: RunWait };
    assert.equal(wait.tool, "refund_card");
    const { decide } = (await import(join(guide.folder, "block-1.js"))) as {
      decide: (operator: SalvorClient, stopped: { wait: RunWait }, decision: unknown) => Promise<void>;
    };
    const client = new SalvorClient({ url: server.url });
    await decide(client, { wait }, { refund_id: "re_1", amount_cents: 500 });
    assert.deepEqual(await guide.runFirst(env), { run, output: "Refunded." });
    assert.deepEqual(await guide.runFirst(env), { run, output: "Refunded." });
    assert.equal(await readFile(join(guide.folder, "paid"), "utf8"), `${wait.idempotencyKey ?? ""}\n`);
    assert.equal(model.asked.length, 2);
  });
});
