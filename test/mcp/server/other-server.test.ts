import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { runSalvor } from "../../support/run-salvor.js";
import { spawnServer, type SpawnedServer } from "../../support/spawn-server.js";
import { toolModule } from "../../support/tool-module.js";
import { connect, type ClientKind, type TestClient } from "./clients.js";
import { runOf, textOf } from "./mcp-world.js";
import { SalvorClient } from "#salvor/client/index.js";

const DECLARATION = `
name = "pay"
effect = "write"
trust_completion = true
[input_schema]
type = "object"
[output_schema]
type = "object"
`;
const KEYED = DECLARATION.replace('"pay"', '"refund"')
  .replace("trust_completion = true", 'trust_completion = true\nidempotency_key = ["line"]')
  .replace('type = "object"', 'type = "object"\nrequired = ["line"]\nproperties.line.type = "string"');
const UNPERFORMED = DECLARATION.replace('"pay"', '"payout"');

/** Writes a line into a book; does not come back while the file `hang` is there. */
const OURS = `
const here = ${JSON.stringify("HERE")};
const work = (ctx, { line }) => {
  appendFileSync(here + "/book", line + "\\n");
  ctx.log.info("written");
  return existsSync(here + "/hang") ? never : { line };
};
function declared(name, inputSchema) {
  const Handler = class { call(ctx, input) { return work(ctx, input); } };
  Tool("write", { name, description: name })(Handler);
  tools.register(new Handler(), { inputSchema, outputSchema: { type: "object" } });
}
declared("pay", { type: "object" });
declared("refund", { type: "object", properties: { line: { type: "string" } }, required: ["line"] });
`;
const THEIRS = `
add("look_up", "read", (ctx, input) => ({ found: input.what }));
add("ship", "write", (ctx, input) => { if (input.to === "nowhere") throw new HandlerError("no such place"); return "shipped"; });
`;

let folder: string;
let server: SpawnedServer;
let control: SalvorClient;
const clients: TestClient[] = [];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "salvor-mcp-"));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  const files = { "pay.toml": DECLARATION, "refund.toml": KEYED, "payout.toml": UNPERFORMED };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await writeFile(join(folder, "ours.js"), toolModule(OURS.replace("HERE", folder)));
  await writeFile(join(folder, "theirs.js"), toolModule(THEIRS));
  server = await spawnServer({
    args: ["--client-tool", folder, "--tools", join(folder, "theirs.js"), "--auth-token", "TOKEN"],
    env: { TOKEN: "secret" },
  });
  control = new SalvorClient({ url: server.url, token: "secret" });
  process.env.SALVOR_TEST_TOKEN = "secret";
});
after(async () => {
  await Promise.all(clients.map((each) => each.close()));
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(kind: ClientKind = "2025-11-25"): Promise<TestClient> {
  const where = ["--client-tools", server.url, "--client-tools-token", "SALVOR_TEST_TOKEN"];
  const client = await connect(kind, { args: [...where, "--tools", join(folder, "ours.js")] });
  clients.push(client);
  return client;
}

async function book(): Promise<readonly string[]> {
  return (await readFile(join(folder, "book"), "utf8")).split("\n").slice(0, -1);
}

describe("the tools of another server", () => {
  let client: TestClient;
  before(async () => {
    client = await start();
  });

  it("are those that it performs itself, and those that it declares and a class here performs", async () => {
    const { tools } = await client.list();
    assert.deepEqual(
      tools.map(({ name }: { name: string }) => name),
      ["look_up", "pay", "refund", "ship"],
    );
  });

  it("are performed there, and fail there", async () => {
    const found = await client.call("look_up", { what: "A-17" });
    assert.equal(textOf(found), '{"found":"A-17"}');
    const [, intent] = await control.log(runOf(found));
    assert.deepEqual(intent?.event.payload && "performed_by" in intent.event.payload, false);
    assert.equal(textOf(await client.call("ship", { to: "ada" })), "shipped");
    const failed = await client.call("ship", { to: "nowhere" });
    assert.equal(failed.isError, true);
    assert.match(textOf(failed), /no such place/);
  });

  it("are performed here under its declarations, and recorded there as this client's", async () => {
    const paid = await client.call("pay", { line: "5 to bo" });
    assert.deepEqual(paid.structuredContent, { line: "5 to bo" });
    const log = await control.log(runOf(paid));
    assert.deepEqual(log.map(({ event }) => event.kind).slice(0, 3), [
      "RunStarted",
      "ToolCallRequested",
      "ToolCallCompleted",
    ]);
    assert.equal((log[1]?.event.payload as { performed_by?: string }).performed_by, "client");
    const again = await client.call("pay", { line: "5 to bo" });
    assert.notEqual(runOf(again), runOf(paid));
    assert.deepEqual(await book(), ["5 to bo", "5 to bo"]);
  });

  it("answer a call that was named before, and one that the operator's key identifies, from any process", async () => {
    const lines = (await book()).length;
    const meta = { "salvor.dev/idempotency-key": "order 17" };
    const named = await client.call("pay", { line: "named" }, { meta });
    const keyed = await client.call("refund", { line: "keyed", note: 1 });
    const other = await start("2026-07-28");
    assert.equal(runOf(await other.call("pay", { line: "named" }, { meta })), runOf(named));
    const copy = await other.call("refund", { line: "keyed", note: 1 });
    assert.equal(runOf(copy), runOf(keyed));
    assert.equal(copy._meta["salvor.dev/replayed"], true);
    const collision = await other.call("refund", { line: "keyed", note: 2 });
    assert.equal(collision.isError, true);
    assert.match(textOf(collision), /another call/);
    assert.equal((await book()).length, lines + 2);
  });

  it("are not performed again after a kill in the middle of a write, until a person has settled it", async () => {
    const lines = (await book()).length;
    await writeFile(join(folder, "hang"), "");
    const killed = await start();
    let lost: Promise<void> = Promise.resolve();
    await new Promise<void>((written) => {
      const options = {
        onprogress: () => {
          written();
        },
      };
      lost = assert.rejects(killed.call("pay", { line: "once" }, options));
    });
    process.kill(killed.pid, "SIGKILL");
    await lost;
    await rm(join(folder, "hang"));
    const next = await start();
    const refused = await next.call("pay", { line: "once" });
    assert.equal(refused.isError, true);
    const run = runOf(refused);
    assert.equal((await book()).length, lines + 1);
    await control.resolve(run, { seq: 1, output: { line: "once" }, note: "looked up" });
    const settled = await next.call("pay", { line: "once" });
    assert.equal(runOf(settled), run);
    assert.equal(settled._meta["salvor.dev/replayed"], true);
    assert.equal((await book()).length, lines + 1);
    assert.notEqual(runOf(await next.call("pay", { line: "once" })), run);
  });
});

describe("--client-tools refuses to start, naming what is wrong and what to type next, for", () => {
  const args = (...rest: readonly string[]): readonly string[] => [
    "mcp",
    "--client-tools",
    server.url,
    ...rest,
  ];
  const env = { SALVOR_TEST_TOKEN: "secret" };
  const token = ["--client-tools-token", "SALVOR_TEST_TOKEN"] as const;

  it("a server that does not let it in, and one that is not there", async () => {
    const out = await runSalvor(args());
    assert.equal(out.code, 1);
    assert.match(out.stderr, /needs a token[\s\S]*Next: .*--client-tools-token/);
    const nowhere = await runSalvor(["mcp", "--client-tools", "http://127.0.0.1:1"]);
    assert.equal(nowhere.code, 1);
    assert.match(nowhere.stderr, /does not say which tools it has/);
  });

  it("a class that is not what is declared there", async () => {
    const drift = join(folder, "drift.js");
    await writeFile(drift, toolModule('add("pay", "read", () => 1);'));
    const { code, stdout, stderr } = await runSalvor(args(...token, "--tools", drift), { env });
    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.match(stderr, /pay: [\s\S]*read[\s\S]*write[\s\S]*Next: salvor declare/);
  });
});
