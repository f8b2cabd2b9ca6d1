import assert from "node:assert/strict";
import { after, before, beforeEach } from "node:test";
import { hashValue } from "#salvor/log/canonical-json.js";
import { ModelFailure, type ModelAnswer, type ModelDelta } from "#salvor/server/index.js";
import { EventStream } from "../support/event-stream.js";
import { answerOf, later, ScriptedModel } from "../support/scripted-model.js";
import { TestServer, type TestRun } from "../support/test-server.js";
import { is, table } from "./table.js";

const REQUEST = { model: "m", messages: [{ role: "user", content: "?" }] };
const HASH = hashValue(REQUEST);
const DELTAS: readonly ModelDelta[] = [
  { type: "usage", input_tokens: 3, output_tokens: 0 },
  { type: "thinking_delta", thinking: "hm" },
  { type: "text_delta", text: "yes" },
];
let server: TestServer;
let bare: TestServer;
let model: ScriptedModel;
before(async () => {
  server = await TestServer.start({ executor: { call: (request, options) => model.call(request, options) } });
  bare = await TestServer.start();
});
after(() => Promise.all([server.stop(), bare.stop()]));
beforeEach(() => (model = new ScriptedModel()));

const step = (run: TestRun, seq = 1, request: unknown = REQUEST) => run.post("model-step", { seq, request });
const kinds = async (run: TestRun) => (await run.log()).map(({ event }) => event.kind as string);
const OPEN = ["RunStarted", "ModelCallRequested"];
const DONE = [...OPEN, "ModelCallCompleted"];

function stream(run: TestRun, query = "?stream=1", headers = {}): Promise<EventStream> {
  return EventStream.ask(`${server.url}${run.path}/model-step${query}`, {
    method: "POST",
    headers: { "x-drive-token": run.token, ...headers },
    body: JSON.stringify({ seq: 1, request: REQUEST }),
  });
}

/** What is left of a stream: what each frame is called, and its data. */
async function frames(opened: EventStream): Promise<readonly (readonly [string | undefined, unknown])[]> {
  const found: [string | undefined, unknown][] = [];
  for (let frame = await opened.nextEvent(); frame !== undefined; frame = await opened.nextEvent())
    found.push([frame.event, frame.data]);
  return found;
}

/** A call that says everything of {@link DELTAS} and then what the test says. */
function saying(end: () => Promise<ModelAnswer> | ModelAnswer): void {
  model.next(({ options: { onDelta } }) => {
    for (const delta of DELTAS) onDelta?.(delta);
    return end();
  });
}
const said = DELTAS.map((delta) => ["delta", delta]);

table(
  7,
  "model-step",
  [
    [
      "7.61",
      "this server calls the model and answers response and usage",
      async () => {
        const run = await server.open();
        assert.deepEqual(is(await step(run), 200), answerOf("answer 1"));
        assert.deepEqual(model.attempts[0]?.request, REQUEST);
      },
    ],
    [
      "7.62",
      "the intent is durable before the model is called, with the request's hash and nobody's name: this server performs it",
      async () => {
        const run = await server.open();
        const seen = later<readonly { readonly event: unknown }[]>();
        model.next(async () => {
          seen.resolve(await run.log());
          return answerOf("a");
        });
        is(await step(run), 200);
        assert.deepEqual((await seen.promise)[1]?.event, {
          kind: "ModelCallRequested",
          payload: { seq: 1, request_hash: HASH },
        });
      },
    ],
    [
      "7.63",
      "request_hash is hashValue(request): the order of its keys does not matter",
      async () => {
        const run = await server.open();
        is(await step(run), 200);
        is(await step(run, 1, Object.fromEntries(Object.entries(REQUEST).reverse())), 200);
        assert.equal(model.attempts.length, 1);
      },
    ],
    [
      "7.64",
      "completed with that hash: the recorded answer, and the provider is not called; also on a server that calls none",
      async () => {
        const run = await server.open();
        const first = await step(run);
        assert.equal((await step(run)).text, first.text);
        assert.equal(model.attempts.length, 1);
        const twin = await bare.open();
        is(await twin.post("client-model-intent", { seq: 1, request_hash: HASH }), 200);
        is(await twin.post("client-model-completion", { seq: 1, ...answerOf("b") }), 200);
        assert.deepEqual(is(await step(twin), 200), answerOf("b"));
      },
    ],
    [
      "7.65",
      "dangling: called again, at the same position",
      async () => {
        const run = await server.open();
        await server.record(run.id, [
          run.envelope(1, "ModelCallRequested", { seq: 1, request_hash: HASH }) as never,
        ]);
        assert.deepEqual(is(await step(run), 200), answerOf("answer 1"));
        assert.deepEqual(await kinds(run), DONE);
      },
    ],
    [
      "7.66",
      "another hash there is 409, open or completed, and so is another kind",
      async () => {
        const run = await server.open();
        model.next(() => Promise.reject(new ModelFailure("no")));
        is(await step(run), 502, "model_execution");
        is(await step(run, 1, "another"), 409, "divergence");
        is(await step(run), 200);
        is(await step(run, 1, "another"), 409, "divergence");
        is(await step(run, 0), 409, "divergence");
      },
    ],
    [
      "7.67",
      "no executor: 503, nothing written",
      async () => {
        const run = await bare.open();
        is(await step(run), 503, "model_executor_unavailable");
        assert.equal((await run.log()).length, 1);
      },
    ],
    [
      "7.68",
      "the provider fails: 502, the intent stays open, and the call is made again when it is asked for again",
      async () => {
        const run = await server.open();
        for (let time = 1; time <= 3; time += 1) {
          model.next(() => Promise.reject(new ModelFailure("overloaded")));
          is(await step(run), 502, "model_execution", /overloaded/);
          assert.deepEqual(await kinds(run), OPEN);
          assert.equal(model.attempts.length, time);
        }
        assert.deepEqual(is(await step(run), 200), answerOf("answer 4"));
        assert.deepEqual(await kinds(run), DONE);
      },
    ],
    [
      "7.69",
      "an open call of this server keeps the run where it is, and is nobody's to report on; the run may be abandoned",
      async () => {
        const run = await server.open();
        model.next(() => Promise.reject(new ModelFailure("no")));
        is(await step(run), 502, "model_execution");
        is(await step(run, 2), 409, "divergence");
        is(
          await run.post("client-model-completion", { seq: 1, ...answerOf("x") }),
          403,
          "client_completion_refused",
        );
        is(await server.post(`/v1/runs/${run.id}/resolve`, { seq: 1, output: 1 }), 409, "wrong_state");
        is(await server.post(`/v1/runs/${run.id}/abandon`, { seq: 1 }), 200);
        is(await step(run), 409, "divergence");
      },
    ],
    [
      "7.70",
      "the request's body is recorded only in a run that was opened with record_prompts",
      async () => {
        for (const record_prompts of [true, false]) {
          const { run: id, drive_token: drive } = is(
            await server.post("/v1/client-runs", { record_prompts }),
            201,
          ) as { run: string; drive_token: string };
          const event = { kind: "RunStarted", payload: { agent_def_hash: "a", input: 1 } };
          const path = `/v1/client-runs/${id}`;
          await server.post(
            `${path}/events`,
            { events: [{ run_id: id, seq: 0, schema_version: 1, event }] },
            { drive },
          );
          is(await server.post(`${path}/model-step`, { seq: 1, request: REQUEST }, { drive }), 200);
          const { log } = (await server.get(`${path}/log`)).json;
          assert.deepEqual(
            log[1].event.payload.request_body as unknown,
            record_prompts ? REQUEST : undefined,
          );
        }
      },
    ],
    [
      "7.71",
      "over budget no model is called; once the budget is extended it is",
      async () => {
        const run = await server.open();
        is(await step(run), 200);
        const over = { budget: { kind: "tokens", limit: 5 }, observed: 7 };
        is(await run.event(3, "BudgetExceeded", over), 200);
        is(await step(run, 4), 409, "divergence", /rule 11/);
        assert.equal(model.attempts.length, 1);
        is(await server.post(`/v1/runs/${run.id}/resume`, { seq: 3, input: { extend: { tokens: 9 } } }), 200);
        is(await step(run, 5), 200);
        const { usage } = is(await server.get(`/v1/runs/${run.id}/replay`), 200);
        assert.deepEqual(usage, { input_tokens: 6, output_tokens: 8 });
      },
    ],
    [
      "7.72",
      "it is streamed for Accept: text/event-stream and for ?stream=1",
      async () => {
        for (const [query, headers] of [
          ["?stream=1", {}],
          ["", { accept: "text/event-stream" }],
        ] as const) {
          const opened = await stream(await server.open(), query, headers);
          assert.equal(opened.response.headers.get("content-type"), "text/event-stream");
          assert.equal((await frames(opened)).at(-1)?.[0], "complete");
        }
        assert.match(
          (await step(await server.open())).headers.get("content-type") ?? "",
          /^application\/json/,
        );
      },
    ],
    [
      "7.73",
      "a stream is delta frames, then one complete with response and usage",
      async () => {
        saying(() => answerOf("yes"));
        assert.deepEqual(await frames(await stream(await server.open())), [
          ...said,
          ["complete", answerOf("yes")],
        ]);
      },
    ],
    [
      "7.74",
      "or one error with a message, and the intent stays open",
      async () => {
        const run = await server.open();
        saying(() => Promise.reject(new ModelFailure("broke off")));
        assert.deepEqual(await frames(await stream(run)), [...said, ["error", { message: "broke off" }]]);
        assert.deepEqual(await kinds(run), OPEN);
      },
    ],
    [
      "7.75",
      "what fails before the first frame is answered as it is without a stream: 502, 503, 409",
      async () => {
        const run = await server.open();
        const streamed = (of: TestRun, seq: number) =>
          of.post("model-step?stream=1", { seq, request: REQUEST });
        model.next(() => Promise.reject(new ModelFailure("no")));
        is(await streamed(run, 1), 502, "model_execution");
        is(await streamed(run, 0), 409, "divergence");
        is(await streamed(await bare.open(), 1), 503, "model_executor_unavailable");
      },
    ],
    [
      "7.76",
      "what is recorded equals the unary form, byte for byte, and so does what a replay answers in either form",
      async () => {
        const [one, other] = [await server.open(), await server.open()];
        saying(() => answerOf("yes"));
        const whole = await frames(await stream(one));
        model.next(() => answerOf("yes"));
        const unary = await step(other);
        const recorded = async (run: TestRun) =>
          (await run.log()).slice(1).map(({ event }) => event as unknown);
        assert.deepEqual(await recorded(one), await recorded(other));
        assert.deepEqual(whole.at(-1), ["complete", unary.json]);
        assert.equal((await step(one)).text, unary.text);
        assert.deepEqual(await frames(await stream(one)), [["complete", unary.json]]);
        assert.equal(model.attempts.length, 2);
      },
    ],
    [
      "7.77",
      "a stream whose reader is lost changes nothing: the call goes on, is recorded, and who asks again hears all of it",
      async () => {
        const run = await server.open();
        const end = later<ModelAnswer>();
        saying(() => end.promise);
        const lost = await stream(run);
        assert.deepEqual((await lost.nextEvent())?.data, DELTAS[0]);
        lost.leave();
        const again = await stream(run);
        assert.deepEqual((await again.nextEvent())?.data, DELTAS[0]);
        assert.equal(model.attempts[0]?.options.signal.aborted, false);
        end.resolve(answerOf("yes"));
        assert.deepEqual(await frames(again), [...said.slice(1), ["complete", answerOf("yes")]]);
        assert.equal(model.attempts.length, 1);
        assert.deepEqual(await kinds(run), DONE);
      },
    ],
    [
      "7.78",
      "asked for again while it is being made it is joined, in both forms: one call, one answer",
      async () => {
        const run = await server.open();
        const end = later<ModelAnswer>();
        model.next(() => end.promise);
        const first = step(run);
        await model.called(1);
        const [second, third] = [step(run), stream(run).then(frames)];
        end.resolve(answerOf("once"));
        assert.deepEqual(is(await first, 200), answerOf("once"));
        assert.deepEqual(is(await second, 200), answerOf("once"));
        assert.deepEqual(await third, [["complete", answerOf("once")]]);
        assert.equal(model.attempts.length, 1);
        assert.deepEqual(await kinds(run), DONE);
      },
    ],
    [
      "7.79",
      "a stream says that it lives while the model says nothing that is worth a frame",
      async () => {
        const own = await TestServer.start({
          executor: { call: (request, options) => model.call(request, options) },
          keepAliveMs: 300,
        });
        try {
          const run = await own.open();
          const end = later<ModelAnswer>();
          let talking: NodeJS.Immediate | undefined;
          model.next(({ options: { onDelta } }) => {
            onDelta?.({ type: "text_delta", text: "so" });
            const mutter = (): void => {
              onDelta?.({ type: "text_delta", text: "" });
              talking = setImmediate(mutter);
            };
            mutter();
            return end.promise;
          });
          const opened = await EventStream.ask(`${own.url}${run.path}/model-step?stream=1`, {
            method: "POST",
            headers: { "x-drive-token": run.token },
            body: JSON.stringify({ seq: 1, request: REQUEST }),
          });
          assert.deepEqual((await opened.next())?.data, { type: "text_delta", text: "so" });
          // The answer that ends the stream comes only once it was said: or never.
          const giveUp = setTimeout(() => {
            end.resolve(answerOf("so"));
          }, 5_000);
          assert.equal((await opened.next())?.text, ": keep-alive");
          clearTimeout(giveUp);
          clearImmediate(talking);
          end.resolve(answerOf("so"));
          assert.deepEqual(await frames(opened), [["complete", answerOf("so")]]);
        } finally {
          await own.stop();
        }
      },
    ],
    [
      "7.80",
      "it needs the run's current driver",
      async () => {
        const run = await server.open();
        const body = { seq: 1, request: REQUEST };
        is(await server.post(`${run.path}/model-step`, body), 401, "missing_drive_token");
        is(await server.post(`${run.path}/model-step`, body, { drive: "dt_x" }), 403, "invalid_drive_token");
        assert.equal(model.attempts.length, 0);
      },
    ],
  ],
  61,
);
