import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { Command } from "@langchain/langgraph";
import type { LangChainRun } from "#salvor/adapters/langchain/index.js";
import { SalvorClient, type RunWait } from "#salvor/client/index.js";
import { TestServer } from "../../client/support/server.js";
import { ALL } from "../../client/support/tools.js";
import type { Turn } from "../support/desk.js";
import { Guide } from "../support/guide.js";
import { linesOf } from "../support/ledger.js";

const SCRIPT: readonly Turn[] = [
  { text: "", calls: [{ id: "c1", tool: "refund_card", input: { order_id: "A-17", amount_cents: 500 } }] },
  { text: "Refunded.", calls: [] },
];
const urlOf = (file: string) => pathToFileURL(join(import.meta.dirname, file)).href;
const MODEL = `
  import { appendFileSync } from "node:fs";
  import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
  const load = (url: string) => import(url);
  const { ScriptedChat } = await load("${urlOf("scripted-chat.js")}");
  const { scriptedTurn } = await load("${urlOf("../support/desk.js")}");
  export const model: BaseChatModel = new ScriptedChat((results: number) => {
    appendFileSync("asked", \`\${results}\\n\`);
    return scriptedTurn(results, ${JSON.stringify(SCRIPT)});
  });`;

describe("docs/langchain.md", () => {
  let guide: Guide;
  let server: TestServer;
  before(async () => {
    guide = await Guide.compile("docs/langchain.md", { "model.ts": MODEL });
    server = await TestServer.start(ALL);
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
    const { settle } = (await import(pathToFileURL(join(guide.folder, "block-1.js")).href)) as {
      settle: (
        durable: LangChainRun,
        state: unknown,
        operator: SalvorClient,
        output: unknown,
      ) => Promise<Command>;
    };
    const operator = new SalvorClient({ url: server.url });
    const resume = () => new Command({ resume: {} });
    const durable = { waits: () => waits, resume } as unknown as LangChainRun;
    const goOn = await settle(durable, {}, operator, { refund_id: "re_1", amount_cents: 500 });
    assert.ok(goOn instanceof Command);
    assert.deepEqual(await guide.runFirst(env), { run, output: "Refunded." });
    assert.deepEqual(await guide.runFirst(env), { run, output: "Refunded." });
    assert.equal(await readFile(join(guide.folder, "paid"), "utf8"), `${wait.idempotencyKey ?? ""}\n`);
    assert.deepEqual(linesOf(join(guide.folder, "asked")), ["0", "1"]);
  });
});
