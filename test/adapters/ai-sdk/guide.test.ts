import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { ModelMessage, UIMessage } from "ai";
import { SalvorClient, type RunTools, type RunWait } from "#salvor/client/index.js";
import { TestServer } from "../../client/support/server.js";
import { ALL, World, toolsFor } from "../../client/support/tools.js";
import { Guide } from "../support/guide.js";
import { approved } from "./support/approved.js";
import { calling, saying } from "./support/fixture.js";
import { ScriptedModel, resultsIn } from "./support/scripted-model.js";

/** The model of the guide's first program, which writes down that it was asked. */
const MODEL = `
import { appendFileSync } from "node:fs";
import { ScriptedModel, resultsIn } from "../test/adapters/ai-sdk/support/scripted-model.js";
export const model = new ScriptedModel((prompt) => {
  appendFileSync("asked", "x");
  const calls = [{ id: "c1", tool: "refund_card", input: { order_id: "A-17", amount_cents: 500 } }];
  return resultsIn(prompt) === 0 ? { text: "", calls } : { text: "Refunded.", calls: [] };
});`;

interface Blocks {
  decide(operator: SalvorClient, wait: RunWait, decision: unknown): Promise<void>;
  goOn(messages: readonly ModelMessage[]): ModelMessage[];
  answer(
    request: Request,
    user: string,
    salvor: SalvorClient,
    tools: RunTools,
    model: ScriptedModel,
  ): Promise<Response>;
}

describe("docs/ai-sdk.md", () => {
  let guide: Guide;
  let server: TestServer;
  let client: SalvorClient;
  let blocks: Blocks;
  before(async () => {
    guide = await Guide.compile("docs/ai-sdk.md", { "model.ts": MODEL });
    server = await TestServer.start(ALL);
    client = new SalvorClient({ url: server.url });
    const all = await Promise.all(
      [1, 2, 4].map((at) => import(join(guide.folder, `block-${at}.js`)) as Promise<object>),
    );
    blocks = Object.assign({}, ...all) as Blocks;
  });
  after(async () => {
    await server.remove();
    await guide.remove();
  });

  it("shows a program that waits for a person, and goes on when it is started again", async () => {
    const env = { SALVOR_URL: server.url };
    await guide.breakNextPayment();
    const { run, waits } = (await guide.runFirst(env)) as { run: string; waits: readonly RunWait[] };
    const [wait] = waits;
    assert.equal(wait?.tool, "refund_card");
    await blocks.decide(client, wait, { refund_id: "re_1", amount_cents: 500 });
    assert.deepEqual(await guide.runFirst(env), { run, output: "Refunded." });
    assert.deepEqual(await guide.runFirst(env), { run, output: "Refunded." });
    assert.equal(await readFile(join(guide.folder, "paid"), "utf8"), `${wait.idempotencyKey ?? ""}\n`);
    assert.equal(await readFile(join(guide.folder, "asked"), "utf8"), "xx");
  });

  it("shows how messages go on behind a request for approval", () => {
    const messages: ModelMessage[] = [
      { role: "user", content: "Refund it." },
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "c1", toolName: "refund_card", input: {} },
          { type: "tool-approval-request", approvalId: "a1", toolCallId: "c1" },
        ],
      },
    ];
    assert.deepEqual(blocks.goOn(messages), approved(messages));
  });

  it("shows a chat whose messages are runs, that belong to who began them", async () => {
    const world = new World();
    const model = new ScriptedModel((prompt) =>
      resultsIn(prompt) === 0 ? calling(["pay_out", "c1"]) : saying("Paid."),
    );
    const message: UIMessage = {
      ...{ id: randomUUID(), role: "user" },
      parts: [{ type: "text", text: "Pay it." }],
    };
    const ask = async (user: string) => {
      const body = JSON.stringify({ messages: [message] });
      const request = new Request("http://127.0.0.1/api/chat", { method: "POST", body });
      const response = await blocks.answer(request, user, client, toolsFor(world), model);
      return response.text();
    };
    const others: string[] = [];
    world.next(async ({ amount_cents }) => {
      // Whoever knows the message's id while it is answered.
      others.push(await ask("bob"));
      return { refund_id: "re_1", amount_cents };
    });
    const first = await ask("ann");
    assert.match(first, /tool-output-available.*Paid\./s);
    assert.equal((await client.run(message.id)).status.state, "completed");
    assert.match(await ask("ann"), /tool-output-available.*Paid\./s);
    assert.equal(world.attempts.length, 1);
    assert.equal(model.prompts.length, 2);
    others.push(await ask("bob"));
    assert.deepEqual(others, ["no such message", "no such message"]);
  });
});
