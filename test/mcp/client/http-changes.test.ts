import assert from "node:assert/strict";
import { once, EventEmitter } from "node:events";
import { it } from "node:test";
import { McpServer, type McpTrouble } from "#salvor/mcp/index.js";
import { mcpWebServer } from "../../support/mcp-web-server.js";

const tool = (name: string, readOnlyHint = false) => ({
  ...{ name, inputSchema: { type: "object" }, annotations: { readOnlyHint } },
});

/** A server over HTTP, and what its host is told of it. */
async function followed(...tools: readonly unknown[]) {
  const web = await mcpWebServer(tools);
  const told = new EventEmitter();
  const troubles: McpTrouble[] = [];
  const server = await McpServer.connectHttp({
    url: web.url,
    name: "shop",
    onToolsChanged: () => told.emit("changed"),
    onTrouble: (trouble) => troubles.push(trouble),
  });
  const streamIsOpen = async (): Promise<void> => {
    while (web.streams() === 0) await new Promise(setImmediate);
  };
  await streamIsOpen();
  return {
    ...{ web, server, troubles, streamIsOpen },
    changed: () => once(told, "changed"),
    close: async () => {
      await server.close();
      await web.close();
    },
  };
}

it("over HTTP too, what a server says to have changed is read again", async (t) => {
  const { web, server, changed, close } = await followed(tool("pay"));
  t.after(close);
  const read = changed();
  web.change([tool("pay"), tool("refund")]);
  await read;
  assert.deepEqual(server.names(), ["pay", "refund"]);
});

it("what changed while the stream of a server was broken is read when it is open again", async (t) => {
  const { web, server, changed, close } = await followed(tool("pay"));
  t.after(close);
  const read = changed();
  web.dropStreams();
  web.change([tool("refund")]);
  await read;
  assert.deepEqual(server.names(), ["refund"]);
});

it("a server whose stream cannot be opened again is connected to anew, and its tools are read", async (t) => {
  const { web, server, changed, close } = await followed(tool("pay"));
  t.after(close);
  const sessions = () => new Set(web.headers.map((each) => each["mcp-session-id"])).size;
  const before = sessions();
  const read = changed();
  web.dropStreams(true);
  web.change([tool("refund")]);
  await read;
  assert.ok(sessions() > before);
  assert.deepEqual(server.names(), ["refund"]);
});

it("a tool whose effect changes with the server's hints is told, with both effects", async (t) => {
  const { web, server, troubles, changed, close } = await followed(tool("pay"), tool("look", true));
  t.after(close);
  const read = changed();
  web.change([tool("pay", true), tool("look", true)]);
  await read;
  assert.equal(server.get("pay")?.effect, "read");
  assert.deepEqual(troubles, [
    { kind: "effect_changed", server: "shop", tool: "pay", before: "write", now: "read" },
  ]);
});

it("a tool that goes away and comes back with another effect is told all the same", async (t) => {
  const { web, troubles, changed, close } = await followed(tool("pay"), tool("look", true));
  t.after(close);
  for (const tools of [[tool("look", true)], [tool("pay", true), tool("look", true)]]) {
    const read = changed();
    web.change(tools);
    await read;
  }
  assert.deepEqual(
    troubles.map(({ kind }) => kind),
    ["effect_changed"],
  );
});

it("a tool of which the operator says something and that goes away is told: what is said guards nothing then", async (t) => {
  const web = await mcpWebServer([tool("pay")]);
  const told = new EventEmitter();
  const troubles: McpTrouble[] = [];
  const server = await McpServer.connectHttp({
    url: web.url,
    name: "shop",
    tools: { pay: { effect: "write" } },
    onToolsChanged: () => told.emit("changed"),
    onTrouble: (trouble) => troubles.push(trouble),
  });
  t.after(async () => {
    await server.close();
    await web.close();
  });
  while (web.streams() === 0) await new Promise(setImmediate);
  const read = once(told, "changed");
  web.change([tool("pay_v2", true)]);
  await read;
  const [trouble] = troubles;
  assert.ok(trouble?.kind === "listing");
  assert.match(trouble.problem, /has no tool "pay".*pay_v2/);
});
