import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { hostedTool } from "../../support/hosted-tools.js";
import { toolModule } from "../../support/tool-module.js";
import { CLIENT_KINDS, connect, type Progress, type TestClient } from "./clients.js";
import { McpWorld, runOf, textOf } from "./mcp-world.js";
import { HandlerError, suspend } from "#salvor/index.js";

/** The same tools twice: for a server in this process, and as a module for one in its own. */
const OUTPUT_SCHEMA = {
  type: "object",
  properties: { sum: { type: "integer" } },
  required: ["sum"],
  additionalProperties: false,
} as const;
const INPUT_SCHEMA = {
  type: "object",
  properties: { a: { type: "integer" }, b: { type: "integer" } },
  required: ["a", "b"],
  additionalProperties: false,
} as const;
const CONFIRM = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] } as const;

const folder = mkdtempSync(join(tmpdir(), "salvor-mcp-"));

// The clients drop a notification that reaches them in one piece with its answer, so this tool answers once it was heard.
const HEARD = join(folder, "heard");
const heard = async () => {
  while (!existsSync(HEARD)) await pause(5);
};

const MODULE = `
const Add = class { async call(ctx, { a, b }) {
  ctx.log.info("adding", { progress: 1, total: 2 });
  ctx.log.info("added", { progress: 2, total: 2 });
  while (!existsSync(${JSON.stringify(HEARD)})) await new Promise((later) => setTimeout(later, 5));
  return { sum: a + b };
} };
Tool("read", { name: "add", description: "Adds." })(Add);
tools.register(new Add(), { inputSchema: ${JSON.stringify(INPUT_SCHEMA)}, outputSchema: ${JSON.stringify(OUTPUT_SCHEMA)} });
add("send", "write", (ctx, input) => { console.log("noise"); return "sent " + input.to; });
add("store", "idempotent", () => 1, { idempotencyKey: "id" });
add("fail", "write", () => { throw new HandlerError("no such account"); });
const { suspend } = await import(${JSON.stringify(import.meta.resolve("salvor"))});
add("approve", "write", () => suspend("May I?", ${JSON.stringify(CONFIRM)}));
`;

const tools = [
  hostedTool(
    "add",
    "read",
    async (ctx, { a, b }) => {
      ctx.log.info("adding", { progress: 1, total: 2 });
      ctx.log.info("added", { progress: 2, total: 2 });
      await heard();
      return { sum: Number(a) + Number(b) };
    },
    { inputSchema: INPUT_SCHEMA, outputSchema: OUTPUT_SCHEMA },
  ),
  hostedTool("send", "write", (_ctx, { to }) => `sent ${to as string}`),
  hostedTool("store", "idempotent", () => 1, { key: "id" }),
  hostedTool("fail", "write", () => {
    throw new HandlerError("no such account");
  }),
  hostedTool("approve", "write", () => suspend("May I?", CONFIRM)),
];

let module: string;
let world: McpWorld;
before(async () => {
  module = join(folder, "tools.js");
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  await writeFile(module, toolModule(MODULE));
  world = await McpWorld.start(tools);
});
after(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

for (const transport of ["standard input and output", "HTTP"] as const)
  for (const kind of CLIENT_KINDS)
    describe(`the client of ${kind} over ${transport}`, () => {
      const asked: string[] = [];
      let client: TestClient;
      before(async () => {
        const data = join(folder, `data-${kind.replaceAll(" ", "-")}`);
        const where =
          transport === "HTTP" ? { url: world.mcpUrl } : { args: ["--tools", module, "--data", data] };
        client = await connect(kind, where, ({ message }) => {
          asked.push(message);
          return { action: "accept", content: { ok: true } };
        });
      });
      after(() => client.close());

      it("is told of each tool, its schemas as they are and its effect as hints", async () => {
        const { tools: listed } = await client.list();
        assert.deepEqual(
          listed.map((tool: { name: string }) => tool.name),
          ["add", "approve", "fail", "send", "store"],
        );
        assert.deepEqual(listed[0].inputSchema, INPUT_SCHEMA);
        assert.deepEqual(listed[0].outputSchema, OUTPUT_SCHEMA);
        assert.deepEqual(listed[0].annotations, { readOnlyHint: true });
        assert.deepEqual(listed[3].annotations, {
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
        });
        assert.deepEqual(listed[4].annotations, { readOnlyHint: false, idempotentHint: true });
      });

      it("gets structured content, and is told of the tool's progress", async () => {
        const told: Progress[] = [];
        const onprogress = (each: Progress): void => {
          told.push(each);
          if (each.progress === each.total) writeFileSync(HEARD, "");
        };
        rmSync(HEARD, { force: true });
        const result = await client.call("add", { a: 2, b: 3 }, { onprogress });
        assert.deepEqual(result.structuredContent, { sum: 5 });
        assert.equal(textOf(result), '{"sum":5}');
        assert.notEqual(result.isError, true);
        assert.deepEqual(told.at(-1), { progress: 2, total: 2, message: "added" });
      });

      it("gets a text for a tool without an output schema, and none of what the tool printed", async () => {
        const result = await client.call("send", { to: "ada" });
        assert.equal(textOf(result), "sent ada");
        assert.equal(result.structuredContent, undefined);
      });

      it("is told what is wrong with its arguments, and what failed", async () => {
        const refused = await client.call("add", { a: 1 });
        assert.equal(refused.isError, true);
        assert.match(textOf(refused), /add.*"b"/);
        assert.equal(refused._meta["salvor.dev/run"], undefined);
        const failed = await client.call("fail");
        assert.equal(failed.isError, true);
        assert.match(textOf(failed), /its effect did not happen: no such account/);
      });

      it("gets a protocol error for a tool that is not there", async () => {
        await assert.rejects(client.call("missing"), (error: { code?: number; message: string }) => {
          assert.equal(error.code, -32602);
          assert.match(error.message, /no tool "missing".*add, approve, fail, send, store/);
          return true;
        });
      });

      it("has its user asked when a call waits for a person, and the answer is the call's result", async () => {
        asked.length = 0;
        const result = await client.call("approve", { what: kind });
        assert.deepEqual(asked, ["May I?"]);
        assert.equal(textOf(result), '{"ok":true}');
        assert.match(runOf(result), /^[0-9a-f-]{36}$/);
      });

      it("gets the recorded answer for a call that it names again, and another call without a name", async () => {
        const meta = { "salvor.dev/idempotency-key": `${kind} ${transport}` };
        const first = await client.call("send", { to: "bo" }, { meta });
        const again = await client.call("send", { to: "bo" }, { meta });
        assert.equal(runOf(again), runOf(first));
        assert.equal(again._meta["salvor.dev/replayed"], true);
        const [other, third] = [
          await client.call("send", { to: "bo" }),
          await client.call("send", { to: "bo" }),
        ];
        assert.notEqual(runOf(other), runOf(first));
        assert.notEqual(runOf(third), runOf(other));
        assert.equal(third._meta["salvor.dev/replayed"], undefined);
      });
    });
