import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, it } from "node:test";
import { UnknownOutcomeError } from "#salvor/index.js";
import { McpServer } from "#salvor/mcp/index.js";
import { causeChain } from "#salvor/contract/cause-chain.js";
import { call, toolOf } from "../../support/mcp-servers.js";
import { mcpWebServer, type McpWebServer } from "../../support/mcp-web-server.js";

const TOKEN = "s3cret-bearer-token";
const tool = (name: string) => ({ name, inputSchema: { type: "object" } });

let web: McpWebServer;
let server: McpServer;
before(async () => {
  web = await mcpWebServer([tool("moved"), tool("misdirected"), tool("telling")], {
    moved: "redirect",
    misdirected: "misdirected",
    telling: "tell_token",
  });
  server = await McpServer.connectHttp({ url: web.url, bearerToken: TOKEN });
});
after(async () => {
  await server.close();
  await web.close();
});
beforeEach(() => {
  web.calls.length = 0;
});

it("a write that is answered with a redirect is sent once, and the message names the address to configure", async () => {
  await assert.rejects(call(toolOf(server, "moved")), (error) => {
    assert.ok(error instanceof UnknownOutcomeError);
    const said = causeChain(error);
    assert.match(said, new RegExp(`redirect to ${web.url}/v2\\b.*configure that address`));
    assert.doesNotMatch(said, /t0ps3cret/);
    return true;
  });
  assert.deepEqual(web.calls, ["moved"]);
});

it("a write that is answered with 421 is sent once, whatever a client may do about that status", async () => {
  await assert.rejects(call(toolOf(server, "misdirected")), UnknownOutcomeError);
  assert.deepEqual(web.calls, ["misdirected"]);
});

it("what a server says of the token that it was sent does not come back in an error", async () => {
  await assert.rejects(call(toolOf(server, "telling")), (error) => {
    const said = causeChain(error);
    assert.match(said, /not for \[authorization\]/);
    assert.doesNotMatch(said, new RegExp(TOKEN));
    return true;
  });
});

it("an address that redirects is refused when it is connected to, with the one that it names", async (t) => {
  const old = createServer((request, response) => {
    request
      .resume()
      .on("end", () => response.writeHead(308, { location: `${web.url}?ticket=t0ps3cret` }).end());
  });
  await new Promise<void>((listening) => old.listen(0, "127.0.0.1", listening));
  t.after(() => {
    old.closeAllConnections();
    old.close();
  });
  const url = `http://127.0.0.1:${(old.address() as AddressInfo).port}/mcp`;
  await assert.rejects(McpServer.connectHttp({ url, bearerToken: TOKEN }), (error: Error) => {
    assert.match(error.message, new RegExp(`redirect to ${web.url} .*configure that address`));
    assert.doesNotMatch(error.message, /t0ps3cret|s3cret/);
    return true;
  });
});

it("a page of any length that is no server's answer makes a short message, without the token that it repeats", async (t) => {
  const page = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(404).end(`${request.headers.authorization} ${"x".repeat(1024 * 1024)}`);
    });
  });
  await new Promise<void>((listening) => page.listen(0, "127.0.0.1", listening));
  t.after(() => {
    page.closeAllConnections();
    page.close();
  });
  const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/mcp`;
  await assert.rejects(McpServer.connectHttp({ url, bearerToken: TOKEN }), (error: Error) => {
    assert.match(error.message, /\[authorization\] x/);
    assert.doesNotMatch(error.message, new RegExp(TOKEN));
    assert.ok(error.message.length < 5_000, `${error.message.length} characters`);
    return true;
  });
});

it("a token or header that cannot be one is refused without being shown", async () => {
  for (const secret of [{ bearerToken: `${TOKEN}\nx` }, { headers: { "x-key": `${TOKEN}\nx` } }]) {
    await assert.rejects(McpServer.connectHttp({ url: web.url, ...secret }), (error: Error) => {
      assert.ok(error instanceof TypeError);
      assert.doesNotMatch(causeChain(error), new RegExp(TOKEN));
      return true;
    });
  }
});

it("an address that is none is refused without the password and the query that it holds", async () => {
  for (const url of ["htps://me:t0ps3cret@example.com/mcp", "htps://example.com/mcp?key=t0ps3cret"]) {
    await assert.rejects(McpServer.connectHttp({ url }), (error: Error) => {
      assert.ok(error instanceof TypeError);
      assert.doesNotMatch(error.message, /t0ps3cret/);
      return true;
    });
  }
});
