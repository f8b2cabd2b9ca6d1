import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { UnknownOutcomeError } from "#salvor/index.js";
import { causeChain } from "#salvor/contract/cause-chain.js";
import { McpServer } from "#salvor/mcp/index.js";
import { secretsOf } from "#salvor/mcp/client/secrets.js";
import { call, scripted } from "../../support/mcp-servers.js";

const KEY = "sk_live_0123456789";
const env = { SHOP_KEY: KEY };

it("a secret is hidden as it is, in JSON and in an address, whatever it holds", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 8, unit: "grapheme" }), (secret) => {
      fc.pre(!/[\s<>"{]/.test(secret));
      const { hide } = secretsOf({ KEY: secret });
      for (const form of [secret, encodeURIComponent(secret.toWellFormed())]) {
        assert.equal(hide(`<${form}>`), "<[KEY]>");
      }
      assert.equal(hide(JSON.stringify({ at: secret })), '{"at":"[KEY]"}');
    }),
  );
});

it("a header's token is hidden without its scheme too, and what is short is no secret", () => {
  const { hide } = secretsOf({ authorization: `Bearer ${KEY}`, "x-team": "pay" });
  assert.equal(hide(`key ${KEY} of pay`), "key [authorization] of pay");
});

it("a server that writes its secrets as it dies does not have them told", async () => {
  const scenario = { tools: [], dies: true, stderr: `cannot log in with ${KEY}\n` };
  await assert.rejects(scripted(scenario, { env }), (error: Error) => {
    assert.match(error.message, /cannot log in with \[SHOP_KEY\]/);
    return true;
  });
});

it("a write whose server dies, or fails, with its secret on its lips does not have it told", async (t) => {
  const { tool, close } = await scripted(
    {
      tools: [
        { name: "pay", inputSchema: {} },
        { name: "fail", inputSchema: {} },
        { name: "err", inputSchema: {} },
      ],
      stderr: `using ${KEY}\n`,
      calls: {
        pay: [{ does: "exit" }],
        fail: [{ does: "answer", result: { isError: true, content: [{ type: "text", text: `no ${KEY}` }] } }],
        err: [{ does: "refuse", error: { code: -32000, message: `no ${KEY}` } }],
      },
    },
    { env },
  );
  t.after(close);
  for (const name of ["fail", "err", "pay"]) {
    await assert.rejects(call(tool(name)), (error) => {
      assert.ok(error instanceof UnknownOutcomeError);
      assert.match(causeChain(error), /\[SHOP_KEY\]/);
      assert.doesNotMatch(causeChain(error), new RegExp(KEY));
      return true;
    });
  }
});

it("what a server answers instead of its list is told in few words", async () => {
  await assert.rejects(
    McpServer.connectStdio({ command: process.execPath, args: ["-e", LISTS_NOTHING], env }),
    (error: Error) => {
      assert.match(error.message, /does not list its tools: no \[SHOP_KEY\]/);
      assert.ok(error.message.length < 3_000);
      return true;
    },
  );
});

const LISTS_NOTHING = `
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } };
  const error = { code: -32603, message: "no " + process.env.SHOP_KEY + "x".repeat(100000) };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(method === "initialize" ? { result } : { error }) }));
});
`;
