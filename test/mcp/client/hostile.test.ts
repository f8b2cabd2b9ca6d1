import assert from "node:assert/strict";
import { it } from "node:test";
import { McpConnectError, McpToolsError, type McpTrouble } from "#salvor/mcp/index.js";
import { call, scripted, textOf } from "../../support/mcp-servers.js";

const INPUT = { type: "object" };
const plain = (name: string, more: object = {}) => ({ name, inputSchema: INPUT, ...more });
const read = { annotations: { readOnlyHint: true } };

it("an output schema that means code, one that no pattern engine stalls on and one that does not compile harm nobody else", async (t) => {
  const structured = { content: [], structuredContent: { text: `${"a".repeat(40)}!` } };
  const of = (schema: object) => ({ ...read, outputSchema: { type: "object", ...schema } });
  const pattern = { properties: { text: { pattern: "^(a+)+$" } } };
  const { server, tool, close } = await scripted({
    tools: [
      plain("async", of({ $async: true })),
      plain("stalls", of(pattern)),
      plain("looks", of({ properties: { text: { pattern: "(?=a)b" } } })),
      plain("refers", of({ $ref: "https://example.com/schema.json" })),
      plain("nowhere", of({ $ref: "#/$defs/nothing" })),
      plain("fine"),
    ],
    calls: { stalls: [{ does: "answer", result: structured }] },
  });
  t.after(close);
  assert.deepEqual(server.names(), ["fine", "stalls"]);
  const why = new Map(server.refused.map((each) => [each.serverName, each.why]));
  assert.match(why.get("async") ?? "", /outputSchema is not accepted: .*\$async/);
  assert.match(why.get("looks") ?? "", /outputSchema is not accepted: .*pattern/);
  assert.match(why.get("refers") ?? "", /outputSchema is not accepted/);
  assert.match(why.get("nowhere") ?? "", /outputSchema is not accepted/);
  await assert.rejects(call(tool("stalls")), /\$\.structuredContent\.text/);
  assert.match(textOf(await call(tool("fine"))), /"name":"fine"/);
});

it("two tools whose schemas have one $id are each held to their own", async (t) => {
  const of = (type: string) => ({
    ...read,
    inputSchema: { $id: "urn:example:same", type: "object", properties: { a: { type } }, required: ["a"] },
    outputSchema: { $id: "urn:example:same", type: "object", properties: { b: { type } }, required: ["b"] },
  });
  const { tool, close } = await scripted({
    tools: [plain("numbers", of("number")), plain("texts", of("string"))],
    calls: {
      numbers: [{ does: "answer", result: { content: [], structuredContent: { b: 1 } } }],
      texts: [{ does: "answer", result: { content: [], structuredContent: { b: "one" } } }],
    },
  });
  t.after(close);
  assert.equal((await call(tool("numbers"), { a: 1 })).outcome, "output");
  assert.equal((await call(tool("texts"), { a: "one" })).outcome, "output");
  await assert.rejects(call(tool("numbers"), { a: "one" }), { code: "invalid_input" });
  await assert.rejects(call(tool("texts"), { a: 1 }), { code: "invalid_input" });
});

it("a bad annotation, schema or name costs one tool, and each refusal is told", async (t) => {
  const troubles: McpTrouble[] = [];
  const proto = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as object;
  const deep = JSON.parse(`${'{"not":'.repeat(200)}{}${"}".repeat(200)}`) as object;
  const { server, close } = await scripted(
    {
      tools: [
        plain("annotated", { annotations: "readOnly" }),
        plain("hinted", { annotations: { readOnlyHint: "yes", idempotentHint: 1 } }),
        { name: "schemaless" },
        plain("listed", { inputSchema: [] }),
        plain("proto", { inputSchema: proto }),
        plain("deep", { inputSchema: deep }),
        plain("huge", { inputSchema: { type: "object", description: "x".repeat(100_000) } }),
        plain("typo", { inputSchema: { type: "objekt" } }),
        plain("__proto__"),
        plain("constructor"),
        plain("toString"),
        plain("a b"),
        plain("x".repeat(65)),
        plain("odd", { outputSchema: 7 }),
        { name: 7, inputSchema: INPUT },
        "no tool at all",
        null,
      ],
    },
    { onTrouble: (trouble) => troubles.push(trouble) },
  );
  t.after(close);
  assert.deepEqual(server.names(), ["annotated", "constructor", "hinted", "toString"]);
  assert.deepEqual(
    server.definitions().map(({ effect }) => effect),
    ["write", "write", "write", "write"],
  );
  assert.deepEqual(server.refused.map(({ serverName }) => serverName).sort(), [
    "__proto__",
    "a b",
    "deep",
    "huge",
    "listed",
    "odd",
    "proto",
    "schemaless",
    "typo",
    "x".repeat(65),
  ]);
  assert.deepEqual(server.problems, ["an entry of its list has no name and was left out"]);
  assert.equal(troubles.length, 11);
});

it("a name that stands for several tools is none, and a tool that is listed twice alike is one", async (t) => {
  const { server, close } = await scripted({
    tools: [plain("pay", read), plain("pay"), plain("get", read), plain("get", read)],
  });
  t.after(close);
  assert.deepEqual(server.names(), ["get"]);
  assert.deepEqual(server.problems, ['several tools are called "pay", and differ: none of them is offered']);
});

it("a list that does not end is cut, and what stands in it is offered", async () => {
  for (const endless of ["same", "fresh"] as const) {
    const { server, close } = await scripted({ tools: [plain("one"), plain("two")], endless });
    assert.deepEqual(server.names(), ["one", "two"]);
    assert.match(server.problems.join(), /its list does not end/);
    await close();
  }
});

it("lines on standard output that are no messages are skipped, and told when something goes wrong", async (t) => {
  const { tool, close } = await scripted({
    tools: [plain("echo", read), plain("last", read)],
    calls: { last: [{ does: "exit" }] },
    noise: true,
  });
  t.after(close);
  assert.match(textOf(await call(tool("echo"))), /"name":"echo"/);
  await assert.rejects(call(tool("last")), /exit code 7.*starting up\.\.\. \{"level":"info"\} 42/);
});

it("a server that does not start, ends at once or is none is an error that says what it wrote", async () => {
  await assert.rejects(
    scripted({ tools: [], dies: true, stderr: "\u001b[31mno licence\u001b[0m\nreally" }),
    (error) => error instanceof McpConnectError && /exit code 3\).*: no licence really\)/.test(error.message),
  );
  const { McpServer } = await import("#salvor/mcp/index.js");
  await assert.rejects(McpServer.connectStdio({ command: "no-such-program" }), /ENOENT/);
});

it("a server that ends when it is asked what an older one does not know is started again and greeted as of old", async (t) => {
  const { tool, close } = await scripted({ tools: [plain("echo", read)], exitsOnProbe: true });
  t.after(close);
  assert.match(textOf(await call(tool("echo"))), /"name":"echo"/);
});

it("an error is told as one, whatever structured content stands beside it", async (t) => {
  const result = {
    isError: true,
    content: [{ type: "text", text: "no such order" }],
    structuredContent: { wrong: true },
  };
  const outputSchema = { type: "object", required: ["right"] };
  const { tool, close } = await scripted({
    tools: [plain("find", { ...read, outputSchema })],
    calls: { find: [{ does: "answer", result }] },
  });
  t.after(close);
  await assert.rejects(call(tool("find")), /no such order/);
});

it("what is said about tools that a server does not have is an error that lists what it has", async () => {
  await assert.rejects(
    scripted({ tools: [plain("pay"), plain("refund")] }, { tools: { paye: { effect: "write" } } }),
    (error) =>
      error instanceof McpToolsError && /no tool "paye".*it has pay, refund/.test(error.problems.join()),
  );
  await assert.rejects(
    scripted({ tools: [] }, { tools: { pay: { idempotencyKey: "order" } } }),
    /it has no tools/,
  );
  await assert.rejects(scripted({ tools: [] }, { tools: { pay: { idempotencyKey: "a..b" } } }), TypeError);
});
