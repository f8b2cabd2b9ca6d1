import assert from "node:assert/strict";
import { after, before, beforeEach, it } from "node:test";
import { HandlerFailed, ToolSet, UnknownOutcomeError } from "#salvor/index.js";
import { McpServer } from "#salvor/mcp/index.js";
import { DurableRun } from "#salvor/runtime/index.js";
import { instant, memoryStore, START } from "../../runtime/world.js";
import { call, textOf, toolOf } from "../../support/mcp-servers.js";
import { mcpWebServer, type McpWebServer } from "../../support/mcp-web-server.js";

const NO_TOOLS = { formatVersion: 1, generator: {}, inputs: {}, tools: {} };
const tool = (name: string, readOnlyHint = false) => ({
  ...{ name, inputSchema: { type: "object" }, annotations: { readOnlyHint } },
});

let web: McpWebServer;
let server: McpServer;
before(async () => {
  const writes = ["pay", "break", "break_stream", "hang", "reject"];
  web = await mcpWebServer(
    [...writes.map((name) => tool(name)), tool("look", true), tool("flood", true), tool("lost", true)],
    {
      break: "break",
      break_stream: "break_stream",
      hang: "hang",
      reject: "reject",
      flood: "flood",
      lost: "break",
    },
  );
  server = await McpServer.connectHttp({
    url: web.url,
    headers: { "x-team": "payments" },
    bearerToken: "secret",
  });
});
after(async () => {
  await server.close();
  await web.close();
});
beforeEach(() => {
  web.calls.length = 0;
});

it("headers and the bearer token go with every request", async () => {
  await call(toolOf(server, "look"));
  assert.ok(web.headers.length > 3);
  for (const headers of web.headers) {
    assert.equal(headers["x-team"], "payments");
    assert.equal(headers.authorization, "Bearer secret");
  }
  assert.equal(server.name, web.url);
});

it("a session that the server has forgotten is replaced: a write is not sent into it, a read is made again", async () => {
  web.forget();
  assert.equal(textOf(await call(toolOf(server, "pay"))), "pay");
  web.forget();
  const tools = new ToolSet(NO_TOOLS).include(server);
  const run = await DurableRun.start(await memoryStore(), START, tools, { timing: instant().timing });
  await run.call("look", {});
  assert.deepEqual(web.calls, ["pay", "look"]);
});

it("a write whose connection breaks after it was sent has an unknown outcome, and is sent once", async () => {
  for (const name of ["break", "break_stream", "reject"]) {
    await assert.rejects(call(toolOf(server, name)), UnknownOutcomeError);
  }
  assert.deepEqual(web.calls, ["break", "break_stream", "reject"]);
  assert.equal(textOf(await call(toolOf(server, "pay"))), "pay");
});

it("a read whose connection breaks is a failure that may be tried again, and is by a run", async () => {
  const tools = new ToolSet(NO_TOOLS).include(server);
  const run = await DurableRun.start(await memoryStore(), START, tools, { timing: instant().timing });
  await assert.rejects(run.call("lost", {}), /broke before the server answered/);
  assert.deepEqual(web.calls, ["lost", "lost", "lost"]);
});

it("an answer that never ends is cut off", async () => {
  await assert.rejects(call(toolOf(server, "flood")), HandlerFailed);
});

it("a call that is given up lets go of its request", async () => {
  const giving = new AbortController();
  const calling = call(toolOf(server, "hang"), {}, { signal: giving.signal });
  calling.catch(() => undefined);
  while (web.calls.length === 0) await new Promise(setImmediate);
  giving.abort(new Error("enough"));
  await assert.rejects(calling, UnknownOutcomeError);
});

it("a write to a server that is gone was never sent, so that it has failed for certain", async () => {
  const gone = await mcpWebServer([tool("pay")]);
  const lost = await McpServer.connectHttp({ url: gone.url });
  await gone.close();
  await assert.rejects(call(toolOf(lost, "pay")), (error) => {
    assert.ok(error instanceof HandlerFailed);
    assert.ok(error.definite);
    assert.match(error.message, /nothing was sent/);
    return true;
  });
  assert.deepEqual(gone.calls, []);
  await lost.close();
});

it("closing ends the session at the server", async () => {
  const other = await mcpWebServer([tool("pay")]);
  const closing = await McpServer.connectHttp({ url: new URL(other.url) });
  await closing.close();
  assert.equal(other.deleted.length, 1);
  await other.close();
});

it("an address that is none, or holds a password, is refused", async () => {
  await assert.rejects(McpServer.connectHttp({ url: "file:///etc/passwd" }), TypeError);
  await assert.rejects(McpServer.connectHttp({ url: "nowhere" }), TypeError);
  await assert.rejects(
    McpServer.connectHttp({ url: "https://me:secret@example.com/mcp" }),
    (error: Error) => {
      assert.doesNotMatch(error.message, /secret/);
      return error instanceof TypeError;
    },
  );
  await assert.rejects(McpServer.connectHttp({ url: "http://127.0.0.1:1/mcp" }), { code: "mcp_connect" });
});
