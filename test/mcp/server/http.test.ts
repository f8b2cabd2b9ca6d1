import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { request } from "node:http";
import { hostedTool } from "../../support/hosted-tools.js";
import { McpWorld, runOf, textOf } from "./mcp-world.js";
import { suspend } from "#salvor/index.js";

const CLIENT = "client-token-0123456789";
const OPERATOR = "operator-token-0123456789";
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

const tools = [
  hostedTool("echo", "read", (_ctx, input) => input),
  hostedTool("approve", "write", () =>
    suspend("May I?", { type: "object", properties: { ok: { type: "boolean" } } }),
  ),
];

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A request as anybody may make it: `fetch` would not let a Host or an Origin be said. */
function ask(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
  method = "POST",
): Promise<Raw> {
  return new Promise((answered, failed) => {
    const asking = request(url, {
      method,
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...headers,
      },
    });
    asking.on("error", failed).on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.on("end", () => {
        answered({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    asking.end(typeof body === "string" ? body : body === undefined ? undefined : JSON.stringify(body));
  });
}

describe("over HTTP, with tokens", () => {
  let world: McpWorld;
  before(async () => {
    world = await McpWorld.start(tools, {
      clientToken: CLIENT,
      operatorToken: OPERATOR,
      allowOrigins: ["https://desk.example.com"],
    });
  });
  after(() => world.close());

  const bearer = { Authorization: `Bearer ${CLIENT}` };
  const refusals: readonly (readonly [
    what: string,
    headers: Record<string, string>,
    status: number,
    said: RegExp,
  ])[] = [
    ["without a token", {}, 401, /needs a token/],
    ["with another token", { Authorization: "Bearer other" }, 401, /not one of this server/],
    ["from a foreign page", { ...bearer, Origin: "https://evil.example.com" }, 403, /evil\.example\.com/],
  ];
  for (const [what, headers, status, said] of refusals)
    it(`a request ${what} is refused in the form of JSON-RPC`, async () => {
      const answer = await ask(world.mcpUrl, INITIALIZE, headers);
      assert.equal(answer.status, status);
      const { jsonrpc, id, error } = JSON.parse(answer.text) as Record<string, unknown>;
      assert.deepEqual([jsonrpc, id], ["2.0", null]);
      assert.match((error as { message: string }).message, said);
    });

  it("a page of an allowed origin may send and see what the protocol needs", async () => {
    const headers = {
      Origin: "https://desk.example.com",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "mcp-session-id",
    };
    const asked = await ask(world.mcpUrl, undefined, headers, "OPTIONS");
    assert.equal(asked.status, 204);
    assert.match(String(asked.headers["access-control-allow-methods"]), /DELETE/);
    assert.match(String(asked.headers["access-control-allow-headers"]), /Mcp-Session-Id/);
    const opened = await ask(world.mcpUrl, INITIALIZE, { ...bearer, Origin: "https://desk.example.com" });
    assert.equal(opened.status, 200);
    assert.match(String(opened.headers["access-control-expose-headers"]), /Mcp-Session-Id/);
  });

  it("a client cannot have its own user answer what only the operator may", async () => {
    for (const kind of ["2025-11-25", "2026-07-28"] as const) {
      const answer = () => ({ action: "accept", content: { ok: true } }) as const;
      const client = await world.client(kind, answer, bearer);
      const result = await client.call("approve", { kind });
      assert.equal(result.isError, true);
      assert.match(textOf(result), /Only the operator may answer it/);
      const states = (await world.store.summary(runOf(result)))?.content?.status.state;
      assert.equal(states, "suspended");
      const operator = await world.client(kind, answer, { Authorization: `Bearer ${OPERATOR}` });
      const settled = await operator.call("approve", { kind });
      assert.equal(textOf(settled), '{"ok":true}');
      assert.equal(runOf(settled), runOf(result));
    }
  });

  it("a client cannot pass its user's answer in as if it had been asked for it", async () => {
    const client = await world.client("2026-07-28", undefined, bearer);
    const waiting = await client.call("approve", { forged: true });
    const forged = await ask(
      world.mcpUrl,
      {
        jsonrpc: "2.0",
        id: 7,
        method: "tools/call",
        params: {
          name: "approve",
          arguments: { forged: true },
          inputResponses: { answer: { action: "accept", content: { ok: true } } },
          requestState: runOf(waiting),
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
          },
        },
      },
      {
        ...bearer,
        "Mcp-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "approve",
      },
    );
    assert.equal(forged.status, 200, forged.text);
    assert.match(forged.text, /Only the operator may answer it/);
    assert.equal((await world.store.summary(runOf(waiting)))?.content?.status.state, "suspended");
  });
});

describe("over HTTP, without tokens", () => {
  let world: McpWorld;
  before(async () => {
    world = await McpWorld.start(tools);
  });
  after(() => world.close());

  it("a name that somebody points at this machine is refused", async () => {
    const answer = await ask(world.mcpUrl, INITIALIZE, { Host: "rebound.example.com" });
    assert.equal(answer.status, 403);
    assert.match(answer.text, /"jsonrpc":"2.0".*not a host to call this server by/);
  });

  it("an amount is never rounded, and a body has its bounds", async () => {
    const rounded = JSON.stringify(INITIALIZE).replace('"id":1', '"id":1,"amount":9007199254740993');
    const answer = await ask(world.mcpUrl, rounded);
    assert.equal(answer.status, 400);
    assert.match(answer.text, /"code":-32700.*9007199254740993/);
    const large = await ask(world.mcpUrl, `"${"x".repeat(8 * 1024 * 1024)}"`);
    assert.equal(large.status, 413);
    assert.match(large.text, /"jsonrpc":"2.0"/);
  });

  it("a session that is not there is said to be gone, and one that is ended is", async () => {
    const gone = await ask(
      world.mcpUrl,
      { jsonrpc: "2.0", id: 1, method: "tools/list" },
      { "Mcp-Session-Id": "x" },
    );
    assert.equal(gone.status, 404);
    const none = await ask(world.mcpUrl, { jsonrpc: "2.0", id: 1, method: "tools/list" });
    assert.equal(none.status, 400);
    const opened = await ask(world.mcpUrl, INITIALIZE);
    const session = { "Mcp-Session-Id": String(opened.headers["mcp-session-id"]) };
    assert.equal((await ask(world.mcpUrl, undefined, session, "DELETE")).status, 200);
    const ended = await ask(world.mcpUrl, { jsonrpc: "2.0", id: 1, method: "tools/list" }, session);
    assert.equal(ended.status, 404);
  });

  it("another method, and the control plane beside it, answer in their own ways", async () => {
    const put = await ask(world.mcpUrl, {}, {}, "PUT");
    assert.equal(put.status, 405);
    assert.match(put.text, /"jsonrpc":"2.0"/);
    const client = await world.client("2025-11-25");
    const run = runOf(await client.call("echo", { a: 1 }));
    const listed = await ask(`${world.url}/v1/runs`, undefined, {}, "GET");
    assert.match(listed.text, new RegExp(run));
  });
});
