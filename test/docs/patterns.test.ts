import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { Pool } from "pg";
import ts from "typescript";
import type * as clientModule from "#salvor/client/index.js";
import type { Effect } from "#salvor/contract/effect.js";
import type * as salvorModule from "#salvor/index.js";
import { TestPostgres } from "../support/postgres.js";
import { TestServer } from "../support/test-server.js";
import { codeBlocks, readPage, root } from "./pages.js";

// Inside the package, so that `salvor` is what a user of the package gets.
const folder = join(root, `build/patterns-page-${process.pid}`);

// Of the package as it was built: its classes are those that the page's programs throw.
const { ToolSet } = (await import(["salvor"].join("/"))) as typeof salvorModule;
const { ClientRun, SalvorClient, ToolFailedError, UnknownOutcomeError } = (await import(
  ["salvor", "client"].join("/")
)) as typeof clientModule;

const ANY = { type: "object" } as const;
const NOTHING = { formatVersion: 1, generator: {}, inputs: {}, tools: {} };
const EFFECTS: Readonly<Record<string, Effect>> = {
  charge_card: "write",
  send_email: "write",
  book_amount: "idempotent",
  start_export: "idempotent",
  await_export: "read",
};

describe("docs/patterns.md", () => {
  const blocks = codeBlocks(readPage("docs/patterns.md")).filter(({ language }) => language === "ts");
  const files = blocks.map((_, at) => join(folder, `block-${at}.ts`));
  let server: TestServer;
  let client: clientModule.SalvorClient;

  before(async () => {
    await mkdir(folder, { recursive: true });
    for (const [at, { code }] of blocks.entries()) await writeFile(files[at]!, code);
    const tools = Object.entries(EFFECTS).map(([name, effect]) => {
      return { name, effect, input_schema: ANY, output_schema: ANY, trust_completion: true };
    });
    server = await TestServer.start({ tools });
    client = new SalvorClient({ url: server.url });
    const program = ts.createProgram(files, {
      strict: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      skipLibCheck: true,
      types: ["node"],
      rootDir: folder,
    });
    const problems = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
    assert.deepEqual(problems, []);
    program.emit();
  });
  after(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** A run of a program with the page's classes of a block, each made of the same thing. */
  async function runOf(
    names: readonly string[],
    ...made: readonly unknown[]
  ): Promise<clientModule.ClientRun> {
    const at = blocks.findIndex(({ code }) => code.includes(`class ${names[0]} `));
    const classes = (await import(pathToFileURL(join(folder, `block-${at}.js`)).href)) as Record<
      string,
      new (...made: readonly unknown[]) => never
    >;
    const tools = new ToolSet(NOTHING);
    for (const name of names)
      tools.register(new classes[name]!(...made), { inputSchema: ANY, outputSchema: ANY });
    return ClientRun.open(client, tools, { agentDefHash: "patterns@1" });
  }

  it("charges a card under the call's key, and tells a refusal from what nobody knows", async () => {
    const keys: unknown[] = [];
    const provider = createServer((request, response) => {
      keys.push(request.headers["idempotency-key"]);
      void json(request).then((body) => {
        const { amount_cents } = body as { amount_cents: number };
        const status = amount_cents === 1 ? 402 : amount_cents === 2 ? 500 : 200;
        response.writeHead(status).end(JSON.stringify({ id: "ch_1", amount_cents }));
      });
    });
    provider.listen(0, "127.0.0.1");
    await once(provider, "listening");
    try {
      const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
      const run = await runOf(["ChargeCard"], url, "secret");
      const charge = (amount_cents: number) => run.perform("charge_card", { order_id: "A-17", amount_cents });
      assert.deepEqual(await charge(500), { charge_id: "ch_1", amount_cents: 500 });
      await assert.rejects(charge(1), ToolFailedError);
      await assert.rejects(charge(2), UnknownOutcomeError);
      const asked = (await client.log(run.runId)).flatMap(({ event }) =>
        event.kind === "ToolCallRequested" ? [event.payload.idempotency_key] : [],
      );
      assert.deepEqual(keys, asked);
    } finally {
      provider.close();
      provider.closeAllConnections();
    }
  });

  it("sends a letter that a person can find by the call's key", async () => {
    const sent: { readonly messageId: string; readonly to: string }[] = [];
    const run = await runOf(["SendEmail"], {
      send: (letter: { messageId: string; to: string }) => {
        sent.push(letter);
        return Promise.resolve({ accepted: letter.to.includes("@"), reply: "250 queued" });
      },
    });
    const letter = { to: "ann@example.org", subject: "Your refund", text: "It is on its way." };
    const output = await run.perform("send_email", letter);
    const [call] = (await client.log(run.runId)).slice(1);
    assert.ok(call?.event.kind === "ToolCallRequested");
    const key = call.event.payload.idempotency_key?.replace("sha256:", "") ?? "none";
    assert.deepEqual(output, { message_id: `<${key}@mail.example.org>`, reply: "250 queued" });
    await assert.rejects(run.perform("send_email", { ...letter, to: "nobody" }), ToolFailedError);
    assert.equal(sent.length, 2);
  });

  it("books an amount once, however often and by however many at once it is asked for under a key", async () => {
    const postgres = await TestPostgres.start();
    const pool = new Pool({ connectionString: await postgres.createDatabase() });
    try {
      await pool.query("CREATE TABLE receipts (key text PRIMARY KEY, output jsonb)");
      await pool.query("CREATE TABLE accounts (name text PRIMARY KEY, balance_cents integer)");
      await pool.query("INSERT INTO accounts VALUES ('shop', 0)");
      const run = await runOf(["BookAmount"], pool);
      const asked = { account: "shop", amount_cents: 500 };
      assert.deepEqual(await run.perform("book_amount", asked), { balance_cents: 500 });
      // As after a crash between the effect and its report: the same call again, under its key, by three at once.
      const at = blocks.findIndex(({ code }) => code.includes("class BookAmount "));
      const { BookAmount } = (await import(pathToFileURL(join(folder, `block-${at}.js`)).href)) as {
        BookAmount: new (pool: Pool) => { call(ctx: unknown, input: unknown): Promise<unknown> };
      };
      const [, call] = await client.log(run.runId);
      assert.ok(call?.event.kind === "ToolCallRequested");
      const ctx = (idempotencyKey: string | null) => ({ idempotencyKey });
      const tool = new BookAmount(pool);
      const { idempotency_key: key } = call.event.payload;
      const again = [1, 2, 3].map(() => tool.call(ctx(key), asked));
      assert.deepEqual(await Promise.all(again), Array(3).fill({ balance_cents: 500 }));
      const fresh = [1, 2, 3].map(() => tool.call(ctx("another key"), asked));
      assert.deepEqual(await Promise.all(fresh), Array(3).fill({ balance_cents: 1000 }));
      await assert.rejects(tool.call(ctx("a third key"), { ...asked, account: "none" }), /no account none/);
      const { rows } = await pool.query("SELECT balance_cents FROM accounts");
      assert.deepEqual(rows, [{ balance_cents: 1000 }]);
    } finally {
      await pool.end();
      await postgres.stop();
    }
  });

  it("starts a job once, and waits for it again after a crash", async () => {
    const started: string[] = [];
    let asked = 0;
    const jobs = {
      start: (name: string) => {
        if (!started.includes(name)) started.push(name);
        return Promise.resolve();
      },
      state: () => {
        asked += 1;
        if (asked === 2) return Promise.reject(new Error("busy"));
        return Promise.resolve(
          asked < 4 ? { done: false } : { done: true, url: "https://example.org/1.csv" },
        );
      },
    };
    const run = await runOf(["StartExport", "AwaitExport"], jobs, 1);
    const { job } = (await run.perform("start_export", { report: "refunds" })) as { job: string };
    assert.deepEqual(await run.perform("await_export", { job }), { url: "https://example.org/1.csv" });
    assert.deepEqual(started, [job]);
    assert.equal((await client.log(run.runId)).length, 5);
  });
});
