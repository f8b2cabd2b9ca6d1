import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, it } from "node:test";
import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  fromJsonSchema,
  inputRequired,
  McpServer as SdkServer,
} from "@modelcontextprotocol/server";
import { IDEMPOTENCY_KEY_META, McpServer } from "#salvor/mcp/index.js";
import { paramHeaders } from "#salvor/mcp/client/param-headers.js";
import { call, textOf, toolOf } from "../../support/mcp-servers.js";

const text = (value: unknown) => ({ content: [{ type: "text" as const, text: JSON.stringify(value) }] });

function sdkServer(): SdkServer {
  const server = new SdkServer({ name: "shop", version: "1" });
  // The keyword is MCP's own, which a type of JSON Schema does not know.
  const header: object = { "x-mcp-header": "Region" };
  const region = fromJsonSchema({ type: "object", properties: { region: { type: "string", ...header } } });
  server.registerTool("in_region", { inputSchema: region }, (args) => text(args));
  const order = fromJsonSchema({ type: "object", properties: { order: { type: "string" } } });
  server.registerTool("pay", { inputSchema: order }, (_, { mcpReq }) =>
    mcpReq.inputResponses === undefined
      ? inputRequired({
          inputRequests: {
            sure: inputRequired.elicit({
              message: "Sure?",
              requestedSchema: {
                type: "object",
                properties: { yes: { type: "boolean" } },
                required: ["yes"],
              },
            }),
          },
        })
      : text({ meta: mcpReq._meta, responses: mcpReq.inputResponses }),
  );
  return server;
}

let http: Server;
let server: McpServer;
before(async () => {
  const handler = toNodeHandler(createMcpHandler(sdkServer));
  http = createServer((request, response) => {
    void handler(request as Parameters<typeof handler>[0], response);
  });
  await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  server = await McpServer.connectHttp({ url, name: "shop" });
});
after(async () => {
  await server.close();
  http.closeAllConnections();
  await new Promise((closed) => http.close(closed));
});

it("a server of the SDK of 2026 over HTTP: a question is a suspension, and its answer is carried", async () => {
  const asked = await call(toolOf(server, "pay"), { order: "o1" });
  assert.ok(asked.outcome === "suspend");
  assert.equal(asked.reason, "shop asks: Sure?");
  const inputResponses = { sure: { action: "accept", content: { yes: true } } };
  const input = { order: "o1", __salvor_answer: { inputResponses } };
  const told = JSON.parse(textOf(await call(toolOf(server, "pay"), input, { idempotencyKey: "k1" })));
  assert.deepEqual(told.responses, inputResponses);
  assert.equal(told.meta[IDEMPOTENCY_KEY_META], "k1");
});

it("arguments that the server wants in headers too are repeated there", async () => {
  for (const region of ["us-west1", " Zürich\n", "", "=?base64?x?="]) {
    assert.equal(textOf(await call(toolOf(server, "in_region"), { region })), JSON.stringify({ region }));
  }
  assert.equal((await call(toolOf(server, "in_region"))).outcome, "output");
});

it("only what is declared for it becomes a header", () => {
  const schema = {
    type: "object",
    properties: {
      a: { type: "integer", "x-mcp-header": "A" },
      b: { type: "object", properties: { c: { type: "boolean", "x-mcp-header": "C" } } },
      n: { type: "number", "x-mcp-header": "N" },
      bad: { type: "string", "x-mcp-header": "B\r\nX: y" },
      list: { type: "array", "x-mcp-header": "L" },
      secret: { type: "string" },
    },
  };
  const args = { a: 3, b: { c: false }, n: 1.5, bad: "x", list: ["y"], secret: "s" };
  assert.deepEqual(paramHeaders(schema, args), { "Mcp-Param-A": "3", "Mcp-Param-C": "false" });
  assert.deepEqual(paramHeaders(schema, { b: null }), {});
  assert.deepEqual(paramHeaders({}, args), {});
});
