import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { Writable } from "node:stream";
import { pino } from "pino";
import { hashValue } from "#salvor/log/canonical-json.js";
import { ModelFailure, type ModelAnswer } from "#salvor/server/index.js";
import { EventStream } from "../support/event-stream.js";
import { answerOf, later, ScriptedModel } from "../support/scripted-model.js";
import { TestServer, type Answer, type TestRun } from "../support/test-server.js";

const REQUEST = { model: "m", messages: [{ role: "user", content: "the secret question" }], max_tokens: 9 };
const HASH = hashValue(REQUEST);

let server: TestServer;
let model: ScriptedModel;
let lines: string[];

before(async () => {
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  // One server for all; each test has a model of its own behind it.
  server = await TestServer.start({
    executor: { call: (request, options) => model.call(request, options) },
    logger: pino({ level: "trace" }, destination),
  });
});
after(() => server.stop());
beforeEach(() => {
  model = new ScriptedModel();
  lines = [];
});
afterEach(() => {
  assert.ok(!lines.join("").includes("secret"), "nothing that was asked or answered is logged");
});

function step(run: TestRun, seq = 1, request: unknown = REQUEST): Promise<Answer> {
  return run.post("model-step", { seq, request });
}

function refused({ status, json }: Answer, expected: number, code: string): void {
  assert.deepEqual([status, json.error.code], [expected, code]);
}

async function kinds(run: TestRun): Promise<readonly string[]> {
  return (await run.log()).map(({ event }) => event.kind as string);
}

/** A streamed model step; the frames are read one by one. */
function stream(run: TestRun, query = "?stream=1", headers = {}, seq = 1): Promise<EventStream> {
  return EventStream.ask(`${server.url}${run.path}/model-step${query}`, {
    method: "POST",
    headers: { "x-drive-token": run.token, ...headers },
    body: JSON.stringify({ seq, request: REQUEST }),
  });
}

async function framesOf(opened: EventStream): Promise<readonly (readonly [string | undefined, unknown])[]> {
  const frames: [string | undefined, unknown][] = [];
  for (let frame = await opened.nextEvent(); frame !== undefined; frame = await opened.nextEvent()) {
    assert.equal(frame.id, undefined);
    frames.push([frame.event, frame.data]);
  }
  return frames;
}

void describe("a model step", () => {
  it("records the intent as this server's, calls the model, records its answer and gives it", async () => {
    const run = await server.open();
    const answer = await step(run);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, answerOf("answer 1"));
    const [, intent, completion] = await run.log();
    assert.deepEqual(intent.event, {
      kind: "ModelCallRequested",
      payload: { seq: 1, request_hash: HASH },
    });
    assert.deepEqual(completion.event, {
      kind: "ModelCallCompleted",
      payload: { seq: 1, ...answerOf("answer 1") },
    });
    assert.deepEqual(model.attempts[0]?.request, REQUEST);
    assert.equal(model.attempts[0].options.onDelta, undefined);
  });

  it("is durable as an intent before the model hears of it", async () => {
    const run = await server.open();
    const seen = later<readonly string[]>();
    model.next(async () => {
      seen.resolve(await kinds(run));
      return answerOf("x");
    });
    await step(run);
    assert.deepEqual(await seen.promise, ["RunStarted", "ModelCallRequested"]);
  });

  it("is answered from the log once it is recorded, in whatever order its keys come", async () => {
    const run = await server.open();
    const first = await step(run);
    const reordered = Object.fromEntries(Object.entries(REQUEST).reverse());
    const again = await step(run, 1, reordered);
    assert.equal(again.text, first.text);
    assert.equal(model.attempts.length, 1);
    assert.equal((await run.log()).length, 3);
  });

  it("keeps the request only in a run that was opened with record_prompts", async () => {
    const { json } = await server.post("/v1/client-runs", { record_prompts: true });
    const started = {
      run_id: json.run,
      seq: 0,
      schema_version: 1,
      event: { kind: "RunStarted", payload: { agent_def_hash: "a", input: null } },
    };
    const drive = json.drive_token as string;
    const path = `/v1/client-runs/${json.run}`;
    await server.post(`${path}/events`, { events: [started] }, { drive });
    await server.post(`${path}/model-step`, { seq: 1, request: REQUEST }, { drive });
    const { json: recorded } = await server.get(`${path}/log`);
    assert.deepEqual(recorded.log[1].event.payload, {
      seq: 1,
      request_hash: HASH,
      request_body: REQUEST,
    });
  });

  it("refuses another request, another kind of event and a position that is not next, and writes nothing", async () => {
    const run = await server.open();
    await step(run);
    refused(await step(run, 1, { ...REQUEST, max_tokens: 10 }), 409, "divergence");
    refused(await step(run, 0), 409, "divergence");
    refused(await step(run, 2), 409, "divergence");
    refused(await step(run, 9), 409, "divergence");
    for (const body of [{ seq: 3 }, { request: REQUEST }, { seq: -1, request: {} }, []]) {
      refused(await run.post("model-step", body), 400, "bad_request");
    }
    assert.equal(model.attempts.length, 1);
    assert.equal((await run.log()).length, 3);
  });

  it("needs the run's drive token", async () => {
    const run = await server.open();
    const body = { seq: 1, request: REQUEST };
    refused(await server.post(`${run.path}/model-step`, body), 401, "missing_drive_token");
    refused(await server.post(`${run.path}/model-step`, body, { drive: "dt_x" }), 403, "invalid_drive_token");
    assert.equal(model.attempts.length, 0);
  });

  it("answers what a client recorded for the same request, and leaves alone a call that a client makes", async () => {
    const run = await server.open();
    await run.post("client-model-intent", { seq: 1, request_hash: HASH });
    const making = await step(run);
    refused(making, 409, "divergence");
    assert.match(making.json.error.message, /client-model-completion/);
    await run.post("client-model-completion", { seq: 1, ...answerOf("the client's") });
    assert.deepEqual((await step(run)).json, answerOf("the client's"));
    assert.equal(model.attempts.length, 0);
  });

  it("is no client's to report on", async () => {
    const run = await server.open();
    model.next(() => Promise.reject(new ModelFailure("not now")));
    await step(run);
    refused(
      await run.post("client-model-completion", { seq: 1, ...answerOf("x") }),
      403,
      "client_completion_refused",
    );
    refused(await run.post("client-model-intent", { seq: 1, request_hash: HASH }), 409, "divergence");
  });

  it("leaves the intent open when the model fails, and calls it again when asked again", async () => {
    const run = await server.open();
    model.next(() =>
      Promise.reject(new ModelFailure("the provider answered 529", "busy with the secret question")),
    );
    const failed = await step(run);
    refused(failed, 502, "model_execution");
    assert.equal(failed.json.error.message, "the provider answered 529: busy with the secret question");
    assert.deepEqual(await kinds(run), ["RunStarted", "ModelCallRequested"]);
    assert.match(lines.join(""), /the provider answered 529/);

    assert.deepEqual((await step(run)).json, answerOf("answer 2"));
    assert.deepEqual(await kinds(run), ["RunStarted", "ModelCallRequested", "ModelCallCompleted"]);
  });

  it("tells of an error that nobody foresaw no more than its name", async () => {
    const run = await server.open();
    class ProviderError extends Error {}
    model.next(() => {
      throw new ProviderError("key sk-secret, prompt: the secret question");
    });
    const failed = await step(run);
    refused(failed, 502, "model_execution");
    assert.equal(failed.json.error.message, "the model executor of this server failed (ProviderError)");
  });

  for (const [what, answer] of [
    ["an integer that was rounded", { ...answerOf("x"), response: { amount: 2 ** 53 } }],
    ["a number that JSON does not have", { ...answerOf("x"), response: [Number.NaN] }],
    ["half a character", { ...answerOf("x"), response: "\ud800" }],
    ["counts that are none", { response: {}, usage: { input_tokens: 1, output_tokens: -1 } }],
    ["more than a log takes", { ...answerOf("x"), response: "x".repeat(8 * 1024 * 1024) }],
  ] as const satisfies readonly (readonly [string, ModelAnswer])[]) {
    it(`does not record ${what}`, async () => {
      const run = await server.open();
      model.next(() => answer);
      refused(await step(run), 502, "model_execution");
      assert.deepEqual(await kinds(run), ["RunStarted", "ModelCallRequested"]);
    });
  }

  it("is joined by whoever asks for it while it is being made", async () => {
    const run = await server.open();
    const { promise, resolve } = later<ModelAnswer>();
    model.next(() => promise);
    const first = step(run);
    await model.called(1);
    const others = [step(run), step(run), stream(run).then(framesOf)] as const;
    resolve(answerOf("once"));
    assert.deepEqual((await first).json, answerOf("once"));
    for (const answer of others.slice(0, 2) as Promise<Answer>[]) {
      assert.deepEqual((await answer).json, answerOf("once"));
    }
    assert.deepEqual(await others[2], [["complete", answerOf("once")]]);
    assert.equal(model.attempts.length, 1);
    assert.equal((await run.log()).length, 3);
  });

  it("goes on and is recorded although the one who asked has gone", async () => {
    const run = await server.open();
    const { promise, resolve } = later<ModelAnswer>();
    model.next(() => promise);
    const gone = new AbortController();
    const asked = fetch(`${server.url}${run.path}/model-step`, {
      method: "POST",
      headers: { "x-drive-token": run.token },
      body: JSON.stringify({ seq: 1, request: REQUEST }),
      signal: gone.signal,
    });
    await model.called(1);
    gone.abort();
    await assert.rejects(asked);
    assert.equal(model.attempts[0]?.options.signal.aborted, false);
    const again = step(run);
    resolve(answerOf("late"));
    assert.deepEqual((await again).json, answerOf("late"));
    assert.equal(model.attempts.length, 1);
  });

  it("does not hold the run up: it is read, reopened and abandoned while the model thinks", async () => {
    const run = await server.open();
    const { promise, resolve } = later<ModelAnswer>();
    model.next(() => promise);
    const asked = step(run);
    await model.called(1);
    assert.equal((await server.get(`/v1/runs/${run.id}`)).json.status.state, "awaiting_model");
    refused(await run.event(2, "NowObserved", { now: "2026-01-01T00:00:00Z" }), 409, "divergence");
    refused(await run.event(2, "RunCompleted", { output: 1 }), 409, "divergence");
    refused(await server.post(`/v1/runs/${run.id}/resume`, { input: 1 }), 409, "wrong_state");

    const { json } = await server.post("/v1/client-runs", { run_id: run.id });
    const successor = server.post(
      `${run.path}/model-step`,
      { seq: 1, request: REQUEST },
      { drive: json.drive_token as string },
    );
    resolve(answerOf("kept"));
    assert.deepEqual((await asked).json, answerOf("kept"));
    assert.deepEqual((await successor).json, answerOf("kept"));
    assert.equal(model.attempts.length, 1);
    assert.deepEqual(await kinds(run), ["RunStarted", "ModelCallRequested", "ModelCallCompleted"]);
  });

  it("drops an answer that comes when its run was abandoned, and says so", async () => {
    const run = await server.open();
    const { promise, resolve } = later<ModelAnswer>();
    model.next(() => promise);
    const asked = step(run);
    await model.called(1);
    assert.equal((await server.post(`/v1/runs/${run.id}/abandon`, { seq: 1 })).status, 200);
    resolve(answerOf("too late"));
    refused(await asked, 409, "divergence");
    refused(await step(run), 409, "divergence");
    assert.deepEqual(await kinds(run), ["RunStarted", "ModelCallRequested", "RunAbandoned"]);
    assert.match(lines.join(""), /came too late and was dropped/);
    assert.equal(model.attempts.length, 1);
  });
});

void describe("a model step whose executor throws, where payloads are logged", () => {
  it("leaves the error's text in the log, and no other member of it: that may be a key", async () => {
    const said: string[] = [];
    const own = await TestServer.start({
      executor: { call: () => Promise.reject(Object.assign(new Error("its text"), { headers: "its key" })) },
      logger: pino({}, { write: (line: string) => said.push(line) }),
      logPayloads: true,
    });
    try {
      refused(await step(await own.open()), 502, "model_execution");
      assert.match(said.join(""), /its text/);
      assert.doesNotMatch(said.join(""), /its key/);
    } finally {
      await own.stop();
    }
  });
});

void describe("a streamed model step", () => {
  it("says what the model says, and ends with what is recorded, byte for byte the unary answer", async () => {
    const run = await server.open();
    const counts = { input_tokens: 3, output_tokens: 0 };
    model.next(({ options: { onDelta } }) => {
      onDelta?.({ type: "usage", ...counts });
      onDelta?.({ type: "thinking_delta", thinking: "Hm. " });
      onDelta?.({ type: "text_delta", text: "two\nlines 💶" });
      return answerOf("two\nlines 💶");
    });
    const opened = await stream(run);
    assert.equal(opened.response.headers.get("content-type"), "text/event-stream");
    const frames: { readonly text: string; readonly event?: string; readonly data?: unknown }[] = [];
    for (let frame = await opened.next(); frame !== undefined; frame = await opened.next())
      frames.push(frame);
    assert.deepEqual(
      frames.map(({ event, data }) => [event, data]),
      [
        ["delta", { type: "usage", ...counts }],
        ["delta", { type: "thinking_delta", thinking: "Hm. " }],
        ["delta", { type: "text_delta", text: "two\nlines 💶" }],
        ["complete", answerOf("two\nlines 💶")],
      ],
    );
    const unary = await step(run);
    assert.equal(frames.at(-1)?.text, `event: complete\ndata: ${unary.text}`);
    const again = await framesOf(await stream(run, "", { accept: "text/event-stream" }));
    assert.deepEqual(again, [["complete", unary.json]]);
    assert.equal(model.attempts.length, 1);
  });

  it("is asked for by the Accept header or by ?stream=1, and by nothing else", async () => {
    const run = await server.open();
    const post = (query: string, accept: string) =>
      run
        .post(`model-step${query}`, { seq: 1, request: REQUEST }, { headers: { accept } })
        .then((answer) => answer.headers.get("content-type"));
    assert.equal(await post("", "*/*"), "application/json; charset=utf-8");
    assert.equal(await post("", "application/json, text/event-stream"), "application/json; charset=utf-8");
    assert.equal(await post("?stream=0", "text/event-stream"), "application/json; charset=utf-8");
    assert.equal(await post("", "text/event-stream"), "text/event-stream");
    assert.equal(await post("?stream=1", "application/json"), "text/event-stream");
    refused(await run.post("model-step?stream=2", { seq: 1, request: REQUEST }), 400, "bad_request");
  });

  it("answers an error before the first frame as an error, and tells of one after it in the stream", async () => {
    const run = await server.open();
    model.next(() => Promise.reject(new ModelFailure("no")));
    const answer = await run.post("model-step?stream=1", { seq: 1, request: REQUEST });
    refused(answer, 502, "model_execution");
    assert.match(answer.headers.get("content-type") ?? "", /json/);
    refused(await run.post("model-step?stream=1", { seq: 2, request: REQUEST }), 409, "divergence");

    model.next(({ options: { onDelta } }) => {
      onDelta?.({ type: "text_delta", text: "I " });
      return Promise.reject(new ModelFailure("broke off"));
    });
    assert.deepEqual(await framesOf(await stream(run)), [
      ["delta", { type: "text_delta", text: "I " }],
      ["error", { message: "broke off" }],
    ]);
    assert.match(lines.join(""), /broke off/);
    assert.deepEqual(await kinds(run), ["RunStarted", "ModelCallRequested"]);
  });

  it("tells one who joins late everything from the beginning, and goes on when a listener leaves", async () => {
    const run = await server.open();
    const { promise, resolve } = later<ModelAnswer>();
    model.next(async ({ options: { onDelta } }) => {
      onDelta?.({ type: "text_delta", text: "one " });
      const answer = await promise;
      onDelta?.({ type: "text_delta", text: "two" });
      return answer;
    });
    const first = await stream(run);
    assert.deepEqual((await first.nextEvent())?.data, { type: "text_delta", text: "one " });
    first.leave();
    const second = await stream(run);
    assert.deepEqual((await second.nextEvent())?.data, { type: "text_delta", text: "one " });
    resolve(answerOf("one two"));
    assert.deepEqual(await framesOf(second), [
      ["delta", { type: "text_delta", text: "two" }],
      ["complete", answerOf("one two")],
    ]);
    assert.equal(model.attempts.length, 1);
  });
});

void describe("a server", () => {
  it("without an executor answers what is recorded, refuses the rest, and says in its capabilities which it is", async () => {
    const mine = new ScriptedModel();
    const home = await TestServer.start({ executor: mine });
    try {
      assert.equal((await home.get("/v1/capabilities")).json.capabilities.hosted_models, true);
      const run = await home.open();
      const { text } = await step(run);
      await home.restart({});
      assert.equal((await home.get("/v1/capabilities")).json.capabilities.hosted_models, false);
      assert.equal((await step(run)).text, text);
      refused(await step(run, 1, "another"), 409, "divergence");
      refused(await step(run, 3), 503, "model_executor_unavailable");
      assert.equal((await run.log()).length, 3);
      await home.restart({ executor: mine });
      mine.next(() => Promise.reject(new ModelFailure("no")));
      refused(await step(run, 3), 502, "model_execution");
      await home.restart({});
      refused(await step(run, 3), 503, "model_executor_unavailable");
    } finally {
      await home.stop();
    }
  });

  it("says that a stream lives while the model is silent", async () => {
    const home = await TestServer.start({ executor: { call: () => pending.promise }, keepAliveMs: 1 });
    const pending = later<ModelAnswer>();
    try {
      const run = await home.open();
      const opened = await EventStream.ask(`${home.url}${run.path}/model-step?stream=1`, {
        method: "POST",
        headers: { "x-drive-token": run.token },
        body: JSON.stringify({ seq: 1, request: REQUEST }),
      });
      assert.equal((await opened.next())?.text, ": keep-alive");
      assert.equal((await opened.next())?.text, ": keep-alive");
      pending.resolve(answerOf("at last"));
      assert.deepEqual(await framesOf(opened), [["complete", answerOf("at last")]]);
    } finally {
      await home.stop();
    }
  });

  it("gives up calls when it stops, and the next one makes them again", async () => {
    const mine = new ScriptedModel();
    const home = await TestServer.start({ executor: mine });
    try {
      const run = await home.open();
      mine.next(() => later<ModelAnswer>().promise);
      const gone = new AbortController();
      const asked = fetch(`${home.url}${run.path}/model-step`, {
        method: "POST",
        headers: { "x-drive-token": run.token },
        body: JSON.stringify({ seq: 1, request: REQUEST }),
        signal: gone.signal,
      });
      await mine.called(1);
      gone.abort();
      await assert.rejects(asked);
      await home.restart();
      assert.equal(mine.attempts[0]?.options.signal.aborted, true);
      assert.deepEqual((await step(run)).json, answerOf("answer 2"));
    } finally {
      await home.stop();
    }
  });

  it("does not wait for ever for a model, and records an answer that comes all the same", async () => {
    const mine = new ScriptedModel();
    const home = await TestServer.start({ executor: mine, modelLimitMs: 1 });
    try {
      const run = await home.open();
      const { promise, resolve } = later<ModelAnswer>();
      mine.next(() => promise);
      const failed = await step(run);
      refused(failed, 502, "model_execution");
      assert.match(failed.json.error.message, /within 1 ms/);
      assert.equal(mine.attempts[0]?.options.signal.aborted, true);
      const opened = await EventStream.open(`${home.url}/v1/runs/${run.id}/events?from_seq=2&follow=1`);
      resolve(answerOf("after all"));
      assert.equal((await opened.nextEvent())?.data.event.kind, "ModelCallCompleted");
      assert.deepEqual((await step(run)).json, answerOf("after all"));
      assert.equal(mine.attempts.length, 1);
    } finally {
      await home.stop();
    }
  });
});
