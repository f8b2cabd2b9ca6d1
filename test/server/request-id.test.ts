import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Writable } from "node:stream";
import { pino } from "pino";
import { exchange } from "../support/exchange.js";
import { TestServer } from "../support/test-server.js";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

void describe("a request's id", () => {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const lines: any[] = [];
  let server: TestServer;
  before(async () => {
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(JSON.parse(chunk.toString()));
        done();
      },
    });
    server = await TestServer.start({ logger: pino({ level: "debug" }, sink) });
  });
  after(() => server.stop());

  async function idOf(given?: string): Promise<string | null> {
    const { headers } = await server.get(
      "/v1/runs",
      given === undefined ? {} : { headers: { "x-request-id": given } },
    );
    return headers.get("x-request-id");
  }

  it("is the one that it came with, where that is fit for a log", async () => {
    for (const id of ["a", "trace-1:2/3", "A".repeat(128), "user@host+x=y.z_w"])
      assert.equal(await idOf(id), id);
  });

  it("is a fresh one otherwise", async () => {
    for (const id of [undefined, "", "two words", "A".repeat(129), '{"a":1}', "é", "a,b"]) {
      assert.match((await idOf(id)) ?? "", UUID, String(id));
    }
    assert.notEqual(await idOf(), await idOf());
  });

  it("is in every line that the request leaves in the log, an error's too", async () => {
    lines.length = 0;
    const run = await server.open();
    await run.intent(1, "charge_card", { cents: 1 });
    await server.get("/v1/runs/none", { headers: { "x-request-id": "asked-for-nothing" } });
    const requests = lines.filter(({ method }) => method !== undefined);
    assert.equal(requests.length, 4);
    for (const { request_id } of requests) assert.equal(typeof request_id, "string");
    const [opening, , intent, refused] = requests;
    assert.match(opening.request_id, UUID);
    assert.equal(intent.tool, "charge_card");
    assert.equal(refused.request_id, "asked-for-nothing");
    assert.equal(refused.code, "bad_request");
  });

  it("is in the answer to what is no request, and in the line about it", async () => {
    lines.length = 0;
    const answer = await exchange(server.url, "NONSENSE\r\n\r\n");
    const [, id] = /\r\nX-Request-Id: (\S+)\r\n/.exec(answer) ?? [];
    assert.match(id ?? "", UUID);
    assert.deepEqual(
      lines.map(({ request_id, status, code }) => [request_id, status, code]),
      [[id, 400, "bad_request"]],
    );
  });
});
