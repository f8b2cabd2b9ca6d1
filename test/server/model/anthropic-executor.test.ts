import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import type { JsonObject } from "#salvor/contract/json.js";
import { anthropicExecutor, ModelFailure, type ModelDelta } from "#salvor/server/index.js";
import { begin, events, frame, json, MessagesApi, refusal } from "../../support/messages-api.js";

const KEY = "sk-ant-a-very-secret-key";
const REQUEST: JsonObject = {
  model: "claude-sonnet-5-5",
  max_tokens: 1024,
  messages: [{ role: "user", content: "Refund A-17" }],
  metadata: { of_our_own: 1.5 },
};
const USAGE = {
  input_tokens: 12,
  output_tokens: 7,
  cache_creation_input_tokens: 100,
  cache_read_input_tokens: 200,
};
const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-5-5",
  content: [
    { type: "thinking", thinking: "Hm. So.", signature: "c2ln" },
    { type: "text", text: "I refund 💶 it.", citations: [{ type: "char_location", cited_text: "A-17" }] },
    {
      type: "tool_use",
      id: "tu_1",
      name: "refund_card",
      input: { order_id: "A-17", lines: [{ cents: 500 }] },
    },
    { type: "tool_use", id: "tu_2", name: "list", input: {} },
  ],
  stop_reason: "tool_use",
  stop_sequence: null,
  usage: USAGE,
};

/** The same message as a stream. */
const EVENTS = [
  {
    type: "message_start",
    message: {
      ...MESSAGE,
      content: [],
      stop_reason: null,
      usage: { ...USAGE, output_tokens: 1 },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
  { type: "ping" },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm. " } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "So." } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2ln" } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "I refund " } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "💶 it." } },
  {
    type: "content_block_delta",
    index: 1,
    delta: { type: "citations_delta", citation: { type: "char_location", cited_text: "A-17" } },
  },
  { type: "content_block_stop", index: 1 },
  {
    type: "content_block_start",
    index: 2,
    content_block: { type: "tool_use", id: "tu_1", name: "refund_card", input: {} },
  },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: "" } },
  {
    type: "content_block_delta",
    index: 2,
    delta: { type: "input_json_delta", partial_json: '{"order_id":"A-1' },
  },
  {
    type: "content_block_delta",
    index: 2,
    delta: { type: "input_json_delta", partial_json: '7","lines":[{"cents":500}]}' },
  },
  { type: "content_block_stop", index: 2 },
  {
    type: "content_block_start",
    index: 3,
    content_block: { type: "tool_use", id: "tu_2", name: "list", input: {} },
  },
  { type: "content_block_stop", index: 3 },
  { type: "something_new", anything: true },
  {
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null, container: null },
    usage: { output_tokens: 7, cache_read_input_tokens: null },
  },
  { type: "message_stop" },
] as const;

describe("the executor on the official SDK", () => {
  let api: MessagesApi;
  before(async () => {
    api = await MessagesApi.start();
  });
  after(() => api.stop());
  beforeEach(() => {
    api.requests.length = 0;
  });

  const hangUp = (response: Parameters<typeof begin>[0]): void => {
    response.destroy();
  };
  const unaborted = () => new AbortController().signal;
  const executor = (options = {}) =>
    anthropicExecutor({ apiKey: KEY, baseUrl: api.url, retries: 0, ...options });
  const ask = (options = {}) => executor(options).call(REQUEST, { signal: unaborted() });

  async function stream(options = {}, request: JsonObject = REQUEST) {
    const deltas: ModelDelta[] = [];
    const answer = await executor(options).call(request, {
      signal: unaborted(),
      onDelta: (delta) => deltas.push(delta),
    });
    return { answer, deltas };
  }

  async function failure(work: Promise<unknown>): Promise<ModelFailure> {
    const error = await work.then(
      () => assert.fail("nothing failed"),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof ModelFailure, String(error));
    assert.ok(!`${error.told}${error.stack ?? ""}${JSON.stringify(error)}`.includes("secret"), error.told);
    return error;
  }

  it("sends the request as it is, with the key, and answers the message as it came", async () => {
    api.next(json(200, MESSAGE));
    const answer = await ask();
    assert.deepEqual(answer, { response: MESSAGE, usage: { input_tokens: 12, output_tokens: 7 } });
    const [request] = api.requests;
    assert.equal(request?.path, "/v1/messages");
    assert.equal(request.headers.authorization, `Bearer ${KEY}`);
    assert.match(String(request.headers["anthropic-version"]), /^\d{4}-/);
    assert.deepEqual(JSON.parse(request.body), REQUEST);
  });

  it("puts the message of a stream together to what one piece would have brought, byte for byte", async () => {
    api.next(events(...EVENTS));
    const { answer, deltas } = await stream();
    assert.equal(JSON.stringify(answer.response), JSON.stringify(MESSAGE));
    assert.deepEqual(answer.usage, { input_tokens: 12, output_tokens: 7 });
    assert.deepEqual(deltas, [
      { type: "usage", input_tokens: 12, output_tokens: 1 },
      { type: "thinking_delta", thinking: "Hm. " },
      { type: "thinking_delta", thinking: "So." },
      { type: "text_delta", text: "I refund " },
      { type: "text_delta", text: "💶 it." },
      { type: "usage", input_tokens: 12, output_tokens: 7 },
    ]);
    assert.deepEqual(JSON.parse(api.requests[0]?.body ?? ""), { ...REQUEST, stream: true });
  });

  it("says itself whether it wants a stream, whatever the request says", async () => {
    api.next(json(200, MESSAGE), events(...EVENTS));
    await executor().call({ ...REQUEST, stream: true }, { signal: unaborted() });
    await stream({}, { ...REQUEST, stream: false });
    const sent = api.requests.map(({ body }) => (JSON.parse(body) as JsonObject).stream);
    assert.deepEqual(sent, [undefined, true]);
  });

  it("refuses a request that is no object without sending it", async () => {
    await failure(executor().call([1], { signal: unaborted() }));
    assert.equal(api.requests.length, 0);
  });

  for (const status of [408, 409, 429, 500, 503, 529]) {
    it(`asks again after ${status}, which had no effect, and within bounds`, async () => {
      const busy = refusal(status, "overloaded_error", `busy, ${KEY}`, { "retry-after-ms": "1" });
      api.next(busy, busy, json(200, MESSAGE));
      assert.deepEqual((await ask({ retries: 2 })).response, MESSAGE);
      assert.equal(api.requests.length, 3);
      api.next(busy, busy);
      const { message, told } = await failure(ask({ retries: 1 }));
      assert.equal(message, `the provider answered ${status} overloaded_error (request req_1)`);
      assert.equal(told, `${message}: busy, [key]`);
      assert.equal(api.requests.length, 5);
    });
  }

  it("does not ask again when the request is at fault", async () => {
    api.next(refusal(400, "invalid_request_error", "max_tokens: too many"));
    const { message, said } = await failure(ask({ retries: 2 }));
    assert.equal(message, "the provider answered 400 invalid_request_error (request req_1)");
    assert.equal(said, "max_tokens: too many");
    assert.equal(api.requests.length, 1);
  });

  it("asks again when the connection was lost before anything was answered", async () => {
    api.next(hangUp, json(200, MESSAGE));
    assert.deepEqual((await ask({ retries: 1 })).response, MESSAGE);
    api.next(hangUp);
    assert.match((await failure(ask())).message, /could not be reached/);
  });

  it("names neither address nor key when nobody answers there", async () => {
    const gone = await MessagesApi.start();
    const url = gone.url;
    await gone.stop();
    assert.equal(
      (await failure(ask({ baseUrl: url }))).told,
      "the provider could not be reached (ECONNREFUSED)",
    );
  });

  it("waits for the answer to begin no longer than it was told, and asks again", async () => {
    api.next(() => undefined, json(200, MESSAGE));
    assert.deepEqual((await ask({ timeoutMs: 20, retries: 1 })).response, MESSAGE);
    api.next(() => undefined);
    assert.equal((await failure(ask({ timeoutMs: 20 }))).message, "the provider did not answer in time");
  });

  it("gives up an answer that falls silent, in one piece or in a stream", async () => {
    const half = (response: Parameters<typeof begin>[0]) => {
      begin(response);
      response.write(frame(EVENTS[0]));
    };
    api.next(half, half);
    assert.match((await failure(ask({ silenceMs: 20 }))).message, /silent for 20 ms/);
    assert.match((await failure(stream({ silenceMs: 20 }))).message, /silent for 20 ms/);
  });

  it("ends its request when the call is given up", async () => {
    const giveUp = new AbortController();
    let closed: Promise<unknown> | undefined;
    api.next((response) => {
      closed = new Promise((resolve) => response.once("close", resolve));
      begin(response);
      response.write(frame(EVENTS[0]));
    });
    const reason = new Error("the server stops");
    const options = {
      signal: giveUp.signal,
      onDelta: () => {
        giveUp.abort(reason);
      },
    };
    await assert.rejects(executor().call(REQUEST, options), reason);
    await closed;
  });

  const broken: readonly (readonly [string, Parameters<MessagesApi["next"]>[0], RegExp])[] = [
    ["ends before the message does", events(...EVENTS.slice(0, -1)), /broke off/],
    ["is empty", events(), /broke off/],
    [
      "is cut",
      (response) => {
        begin(response);
        response.write(frame(EVENTS[0]), () => response.destroy());
      },
      /broke off/,
    ],
    [
      "tells of an error",
      events(EVENTS[0], {
        type: "error",
        error: { type: "overloaded_error", message: `Overloaded ${KEY}` },
      } as never),
      /broke its answer off \(overloaded_error\)/,
    ],
    ["holds what is no JSON", events(EVENTS[0], "event: x\ndata: {nope\n\n"), /not acceptable JSON/],
    ["holds no object", events("event: x\ndata: 1\n\n"), /no object/],
    ["starts twice", events(EVENTS[0], EVENTS[0]), /second message_start/],
    ["goes on with a block that never began", events(EVENTS[0], EVENTS[3]), /has not begun/],
    ["has its blocks out of order", events(EVENTS[0], EVENTS[7]), /out of order/],
    ["holds an input that is no JSON", events(...EVENTS.slice(0, 15), EVENTS[16]), /not acceptable JSON/],
    [
      "names the prototype",
      events(EVENTS[0], 'event: x\ndata: {"type":"message_delta","delta":{"__proto__":{}},"usage":{}}\n\n'),
      /not acceptable JSON/,
    ],
  ];
  for (const [what, handler, words] of broken) {
    it(`does not answer from a stream that ${what}`, async () => {
      api.next(handler);
      assert.match((await failure(stream())).message, words);
    });
  }

  it("refuses a number that would be rounded, also within the pieces of an input", async () => {
    const text = JSON.stringify(MESSAGE).replace("500", "9007199254740993");
    api.next(json(200, text));
    assert.match((await failure(ask())).told, /not acceptable JSON: .*cents/);
    const pieces = EVENTS.map((event) => JSON.stringify(event).replace("500", "9007199254740993"));
    api.next(events(...pieces.map((data) => `event: any\ndata: ${data}\n\n`)));
    assert.match((await failure(stream())).told, /not acceptable JSON: .*cents/);
  });

  it("refuses an answer that is no JSON, or says no usage", async () => {
    api.next(
      json(200, "<html>503</html>"),
      json(200, { ...MESSAGE, usage: { input_tokens: 1 } }),
      json(200, "1"),
    );
    assert.match((await failure(ask())).message, /not acceptable JSON/);
    assert.match((await failure(ask())).message, /no usage/);
    assert.match((await failure(ask())).message, /no usage/);
  });

  it("does not read an answer without end", async () => {
    const megabyte = "x".repeat(1024 * 1024);
    const endless = (response: Parameters<typeof begin>[0]) => {
      begin(response);
      response.write("event: x\ndata: ");
      const more = (): void => {
        if (response.destroyed) return;
        if (response.write(megabyte)) setImmediate(more);
        else response.once("drain", more);
      };
      more();
    };
    api.next(endless, endless);
    assert.match((await failure(ask())).message, /too large/);
    assert.match((await failure(stream())).message, /too large/);
  });
});
