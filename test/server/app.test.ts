import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { TestServer } from "../support/test-server.js";
import { CHARGE_CARD, LOOK_UP, REFUND_CARD } from "../support/tools.js";

void describe("the application", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ tools: [REFUND_CARD, LOOK_UP, CHARGE_CARD] });
  });
  after(() => server.stop());

  it("publishes the declarations sorted by name, schemas as they came, empty lists omitted", async () => {
    const { json } = await server.get("/v1/client-tools");
    assert.deepEqual(json.client_tools, [CHARGE_CARD, LOOK_UP, REFUND_CARD]);
  });

  it("answers unknown routes and wrong methods in the error envelope", async () => {
    const unknown = await server.get("/v1/nope");
    assert.deepEqual([unknown.status, unknown.json.error.code], [404, "not_found"]);
    for (const path of ["/v1/runs/", "/V1/runs", "//v1/runs", "/v1/runs/%zz/replay/x"]) {
      assert.equal((await server.get(path)).json.error.code, "not_found", path);
    }
    const wrong = await server.call("DELETE", "/v1/client-runs");
    assert.deepEqual([wrong.status, wrong.json.error.code], [405, "method_not_allowed"]);
    assert.equal(wrong.headers.get("allow"), "POST");
    const both = await server.call("PUT", "/v1/runs/not-an-id");
    assert.equal(both.headers.get("allow"), "HEAD, GET");
  });

  it("says what it can and who it is", async () => {
    const { json } = await server.get("/v1/capabilities");
    assert.equal(json.capabilities.client_tools, true);
    assert.match(json.server.version as string, /^\d+\.\d+\.\d+/);
    assert.deepEqual((await server.get("/v1/agents")).json, { agents: [] });
  });

  for (const raw of [
    "NONSENSE\r\n\r\n",
    `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(100_000)}\r\n\r\n`,
  ]) {
    it(`answers ${JSON.stringify(raw.slice(0, 16))} in the error envelope`, async () => {
      const text = await new Promise<string>((resolve, reject) => {
        let received = "";
        const { hostname, port } = new URL(server.url);
        const socket = connect(Number(port), hostname, () => socket.write(raw));
        socket.on("data", (chunk: Buffer) => (received += chunk.toString()));
        socket.on("close", () => {
          resolve(received);
        });
        socket.on("error", reject);
      });
      const body = JSON.parse(text.slice(text.indexOf("\r\n\r\n"))) as { error: { code: string } };
      assert.equal(body.error.code, "bad_request");
      assert.equal((await server.get("/healthz")).status, 200);
    });
  }

  it("lets an embedding host replace its tools over the same runs", async () => {
    const own = await TestServer.start({ tools: [] });
    try {
      const run = await own.open();
      assert.equal((await run.intent(1, "charge_card", { cents: 1 })).json.error.code, "unknown_tool");
      await own.restart({ tools: [CHARGE_CARD] });
      assert.equal((await run.intent(1, "charge_card", { cents: 1 })).status, 200);
    } finally {
      await own.stop();
    }
  });
});
