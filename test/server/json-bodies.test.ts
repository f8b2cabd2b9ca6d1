import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, describe, it } from "node:test";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { TestServer, type TestRun } from "../support/test-server.js";

/** The best quality takes minutes for what a bomb needs. */
const quickBrotli = (text: string): Buffer =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

void describe("a request body", () => {
  let server: TestServer;
  let run: TestRun;
  before(async () => {
    server = await TestServer.start();
    run = await server.open();
  });
  after(() => server.stop());

  const intent = (input: string) => `{"seq":1,"tool":"charge_card","input":${input}}`;

  async function assertStillServing(): Promise<void> {
    assert.equal((await server.get("/v1/client-tools")).status, 200);
    assert.equal((await run.log()).length, 1);
  }

  for (const [what, raw, pattern] of [
    ["an integer beyond 2^53-1", intent('{"cents":9007199254740993}'), /\$\.input\.cents/],
    ["a negative one", intent('{"cents":-9007199254740993}'), /\$\.input\.cents/],
    ["an integer that is spelled as a decimal", intent('{"cents":9007199254740993.0}'), /\$\.input\.cents/],
    ["an integer that is spelled with an exponent", intent('{"cents":1e300}'), /\$\.input\.cents/],
    ["a number that overflows", intent('{"cents":1e999}'), /\$\.input\.cents: 1e999 overflows/],
    ["a lone surrogate", intent('{"cents":"\\ud800"}'), /\$\.input\.cents: .*surrogate/],
    ["a lone surrogate in a key", intent('{"\\udc00":1}'), /surrogate/],
    ["a duplicate key", '{"seq":1,"seq":2}', /\$\.seq: duplicate key/],
    ["a duplicate key in another spelling", '{"seq":1,"s\\u0065q":2}', /\$\.seq: duplicate key/],
    ["__proto__ as a key", intent('{"__proto__":{"cents":5}}'), /__proto__/],
    ["10 000 nested arrays", intent("[".repeat(10_000) + "]".repeat(10_000)), /nested deeper than 128/],
    ["129 levels", "[".repeat(129) + "]".repeat(129), /nested deeper than 128/],
    ["no JSON", "seq=1", /not JSON/],
    ["half a document", '{"seq":1', /not JSON/],
    ["nothing", "", /not JSON/],
    ["a byte order mark", "\ufeff{}", /not JSON/],
    ["an array", "[]", /expected an object/],
    ["null", "null", /expected an object/],
  ] as const) {
    it(`with ${what} is a bad request, and the server goes on serving`, async () => {
      const answer = await server.call("POST", `${run.path}/client-tool-intent`, { raw, drive: run.token });
      assert.equal(answer.status, 400, answer.text);
      assert.equal(answer.json.error.code, "bad_request");
      assert.match(answer.json.error.message as string, pattern);
      await assertStillServing();
    });
  }

  it("that is not UTF-8 is a bad request", async () => {
    const raw = Buffer.concat([
      Buffer.from('{"seq":1,"tool":"'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}'),
    ]);
    const answer = await server.call("POST", `${run.path}/client-tool-intent`, { raw, drive: run.token });
    assert.equal(answer.status, 400);
    assert.match(answer.json.error.message as string, /UTF-8/);
    await assertStillServing();
  });

  it("over 8 MiB is too large, and one of exactly 8 MiB is read", async () => {
    const sized = (bytes: number) => {
      const [head, tail] = ['{"seq":1,"tool":"nope","input":"', '"}'];
      return head + "x".repeat(bytes - head.length - tail.length) + tail;
    };
    const path = `${run.path}/client-tool-intent`;
    const over = await server.call("POST", path, { raw: sized(8_388_609), drive: run.token });
    assert.equal(over.status, 413);
    assert.equal(over.json.error.code, "payload_too_large");
    const nine = await server.call("POST", path, { raw: sized(9 * 1024 * 1024), drive: run.token });
    assert.equal(nine.json.error.code, "payload_too_large");
    const exact = await server.call("POST", path, { raw: sized(8_388_608), drive: run.token });
    assert.equal(exact.json.error.code, "unknown_tool");
    await assertStillServing();
  });

  it("is counted, not believed: a chunked body without a length is bounded too", async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request(`${server.url}${run.path}/client-tool-intent`, {
        method: "POST",
        headers: { "x-drive-token": run.token, "transfer-encoding": "chunked" },
      });
      sent.on("response", (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on("error", reject);
      for (let at = 0; at < 9; at += 1) sent.write("x".repeat(1024 * 1024));
      sent.end();
    });
    assert.equal(status, 413);
  });

  for (const [encoding, compress] of [
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", quickBrotli],
  ] as const) {
    it(`compressed with ${encoding} is read, and bounded after decompression`, async () => {
      const path = `${run.path}/client-tool-intent`;
      const headers = { "content-encoding": encoding };
      const small = new Uint8Array(compress('{"seq":1,"tool":"nope","input":1}'));
      const read = await server.call("POST", path, { raw: small, headers, drive: run.token });
      assert.equal(read.json.error.code, "unknown_tool");
      const bomb = new Uint8Array(compress(`"${"0".repeat(70 * 1024 * 1024)}"`));
      const refused = await server.call("POST", path, { raw: bomb, headers, drive: run.token });
      assert.equal(refused.status, 413);
    });
  }

  it("that is not compressed as it says is a bad request", async () => {
    const options = { raw: "{}", drive: run.token };
    const path = `${run.path}/client-tool-intent`;
    const broken = await server.call("POST", path, { ...options, headers: { "content-encoding": "gzip" } });
    assert.equal(broken.json.error.code, "bad_request");
    const unknown = await server.call("POST", path, { ...options, headers: { "content-encoding": "zstd" } });
    assert.equal(unknown.json.error.code, "bad_request");
    await assertStillServing();
  });

  it("needs no content type", async () => {
    const answer = await server.call("POST", "/v1/client-runs", {
      raw: "{}",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    assert.equal(answer.status, 201);
  });

  it("that ends early leaves nothing behind and the server serving", async () => {
    await new Promise<void>((resolve) => {
      const sent = request(`${server.url}${run.path}/client-tool-intent`, {
        method: "POST",
        headers: { "x-drive-token": run.token, "content-length": "1000" },
      });
      sent.on("error", () => undefined);
      sent.on("close", resolve);
      sent.write('{"seq":1,', () => sent.destroy());
    });
    await assertStillServing();
  });

  it("is stored as it came: nothing added, dropped, coerced or defaulted", async () => {
    const own = await server.open();
    const input = {
      cents: 5,
      deep: [{ "": null, valueOf: 1, toString: "x", constructor: { a: -0.5 } }],
      e: "é\u0000\u2028",
    };
    await own.intent(1, "charge_card", input);
    const log = await own.log();
    assert.deepEqual(log[1].event.payload.input, input);
  });
});
