import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { after, before } from "node:test";
import { canonicalJson, hashValue } from "#salvor/log/canonical-json.js";
import { canonicalEnvelope } from "#salvor/log/envelope-json.js";
import { jsonEqual } from "#salvor/log/json-equal.js";
import { TestServer, type TestRun } from "../support/test-server.js";
import { is, table } from "./table.js";

const MAX = 8_388_608;
const U64 = "18446744073709551615";
let server: TestServer;
let run: TestRun;
before(async () => {
  server = await TestServer.start();
  run = await server.open();
});
after(() => server.stop());

const raw = (body: string | Uint8Array<ArrayBuffer>, headers = {}) =>
  server.call("POST", "/v1/client-runs", { raw: body, headers });
const padded = (bytes: number): string => `{"input":"${"a".repeat(bytes - 12)}"}`;
const nested = (levels: number): string => `{"input":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
const random = (seq: number, value: string) =>
  server.call("POST", `${run.path}/events`, {
    drive: run.token,
    raw: JSON.stringify({ events: [run.envelope(seq, "RandomObserved", { value: 0 })] }).replace(
      '"value":0',
      `"value":${value}`,
    ),
  });

table(0, "JSON", [
  [
    "0.1",
    "a body that is no UTF-8 is refused",
    async () => is(await raw(new Uint8Array([0x7b, 0xff, 0x7d])), 400, "bad_request"),
  ],
  ["0.2", "a body that is no JSON is refused", async () => is(await raw("{"), 400, "bad_request")],
  ["0.3", "a body of exactly 8 MiB is taken", async () => is(await raw(padded(MAX)), 201)],
  ["0.4", "one byte more is 413", async () => is(await raw(padded(MAX + 1)), 413, "payload_too_large")],
  [
    "0.5",
    "the size is counted: a body that is sent in chunks, with no length in a header, is bounded too",
    async () => {
      const body = new Blob([padded(MAX + 1)]).stream();
      const answer = await fetch(`${server.url}/v1/client-runs`, {
        method: "POST",
        body,
        duplex: "half",
      });
      assert.equal(answer.status, 413);
      await answer.text();
    },
  ],
  ["0.6", "128 levels are taken", async () => is(await raw(nested(128)), 201)],
  ["0.7", "129 levels are refused", async () => is(await raw(nested(129)), 400, "bad_request")],
  [
    "0.8",
    "a compressed body is bounded by what it becomes",
    async () => {
      const headers = { "content-encoding": "gzip" };
      is(await raw(new Uint8Array(gzipSync("{}")), headers), 201);
      is(await raw(new Uint8Array(gzipSync(padded(MAX + 1))), headers), 413, "payload_too_large");
    },
  ],
  [
    "0.9",
    "no content type is asked for",
    async () => {
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "nonsense"])
        is(await raw("{}", { "content-type": type }), 201);
    },
  ],
  [
    "0.10",
    "a number equal to an integer beyond 2^53-1 is refused however it is written, naming its path",
    async () => {
      for (const number of [
        "9007199254740992",
        "-9007199254740992",
        "9007199254740993.0",
        "1e300",
        "90071992547409920e-1",
      ])
        is(await raw(`{"input":{"a":[${number}]}}`), 400, "bad_request", /input\.a\[0\]/);
      is(await raw('{"input":[9007199254740991,-9007199254740991]}'), 201);
    },
  ],
  [
    "0.11",
    "a number that overflows a double is refused",
    async () => is(await raw('{"input":1e400}'), 400, "bad_request", /input/),
  ],
  [
    "0.12",
    "any other decimal is the nearest double, and may be respelled",
    async () => {
      await run.event(1, "RunStarted", {});
      const opened = await server.open();
      await server.call("POST", `${opened.path}/events`, {
        drive: opened.token,
        raw: JSON.stringify({ events: [opened.envelope(1, "RunCompleted", { output: "X" })] }).replace(
          '"X"',
          "[1.0,0.1000000000000000055]",
        ),
      });
      assert.deepEqual((await opened.log())[1].event.payload.output, [1, 0.1]);
    },
  ],
  [
    "0.13",
    "only RandomObserved.value may be any unsigned 64-bit integer, and survives unchanged",
    async () => {
      is(await random(1, U64), 200);
      const { text } = await server.get(`${run.path}/log`);
      assert.ok(text.includes(`"value":${U64}`), text);
      is(await random(2, "18446744073709551616"), 400, "bad_request");
      is(await random(2, "-1"), 400, "bad_request");
    },
  ],
  [
    "0.14",
    "it survives in canonical JSON too",
    () => {
      const event = { kind: "RandomObserved", payload: { value: BigInt(U64) } } as const;
      const envelope = { run_id: "r", seq: 1, schema_version: 1, recorded_at: "t", event };
      assert.ok(canonicalEnvelope(envelope).includes(`"value":${U64}}`));
    },
  ],
  [
    "0.15",
    "a lone surrogate is refused",
    async () => is(await raw('{"input":"\\ud800"}'), 400, "bad_request"),
  ],
  [
    "0.16",
    "a duplicate key is refused",
    async () => is(await raw('{"input":{"a":1,"\\u0061":2}}'), 400, "bad_request"),
  ],
  [
    "0.17",
    "__proto__ as a key is refused",
    async () => is(await raw('{"input":{"__proto__":1}}'), 400, "bad_request"),
  ],
  [
    "0.18",
    "only own properties count: constructor and toString are names like any other",
    async () => {
      const own = await server.open();
      is(await own.intent(1, "constructor", {}), 404, "unknown_tool");
      is(await own.intent(1, "toString", {}), 404, "unknown_tool");
    },
  ],
  [
    "0.19",
    "a free-form value is stored as it came",
    async () => {
      const own = await server.open();
      const input = { toString: null, "": [{}, [], "", 0, false], constructor: { x: "\u2028é" } };
      const output = await own.event(1, "RunCompleted", { output: input });
      is(output, 200);
      assert.deepEqual((await own.log())[1].event.payload, { output: input });
    },
  ],
  [
    "0.20",
    "canonical JSON is that of RFC 8785",
    () => {
      assert.equal(canonicalJson({ b: [1, 1e21, "é\n"], a: null }), '{"a":null,"b":[1,1e+21,"é\\n"]}');
    },
  ],
  [
    "0.21",
    "a hash is sha256: and its lower-case hex",
    () => {
      assert.match(hashValue("x"), /^sha256:[0-9a-f]{64}$/);
    },
  ],
  [
    "0.22",
    'the vector of {"a":1}',
    () => {
      assert.equal(
        hashValue({ a: 1 }),
        "sha256:015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862",
      );
    },
  ],
  [
    "0.23",
    "the vector of {}",
    () => {
      assert.equal(hashValue({}), "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    },
  ],
  [
    "0.24",
    "the vector of null",
    () => {
      assert.equal(
        hashValue(null),
        "sha256:74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b",
      );
    },
  ],
  [
    "0.25",
    "equality is deep, and the order of keys never matters",
    () => {
      assert.ok(jsonEqual({ a: 1, b: [{ c: null, d: 2 }] }, { b: [{ d: 2, c: null }], a: 1 }));
      assert.ok(!jsonEqual([1, 2], [2, 1]));
      assert.ok(!jsonEqual({ a: null }, {}));
    },
  ],
  [
    "0.26",
    "a field that has nothing to say is left out, and never null",
    async () => {
      const own = await server.open();
      const { json } = await own.intent(1, "charge_card", { cents: 1 });
      assert.deepEqual(Object.keys(json as object).sort(), ["effect", "idempotency_key", "seq", "settled"]);
      const shown = await server.get(`/v1/runs/${own.id}`);
      assert.ok(!("refused_reports" in (shown.json as object)));
    },
  ],
]);
