import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { SalvorClient, SalvorError, TransportError, UnknownRunError } from "#salvor/client/index.js";
import type { Drive, ModelStepEvent } from "#salvor/client/index.js";
import { envelopeOf } from "#salvor/log/events.js";
import { ModelFailure, type ModelAnswer } from "#salvor/server/index.js";
import { answerOf, later, ScriptedModel } from "../support/scripted-model.js";
import { TestServer } from "../support/test-server.js";
import { caught } from "./support/caught.js";
import { CuttingProxy } from "./support/proxy.js";

const ASK = { seq: 1, request: { prompt: "hi" } };

let server: TestServer;
let model: ScriptedModel;
let proxy: CuttingProxy;
let client: SalvorClient;

before(async () => {
  server = await TestServer.start({
    executor: { call: (request, options) => model.call(request, options) },
    // Nobody waits for a keep-alive to hear that a stream has begun.
    keepAliveMs: 20,
  });
});
after(() => server.stop());
beforeEach(async () => {
  model = new ScriptedModel();
  proxy = await CuttingProxy.start(() => Number(new URL(server.url).port));
  client = new SalvorClient({ url: proxy.url, retries: 2 });
});
afterEach(() => proxy.close());

async function started(): Promise<Drive> {
  const { run, drive_token: driveToken } = await client.openRun({ runId: crypto.randomUUID() });
  const payload = { agent_def_hash: "t", input: null };
  await client.appendEvents({ run, driveToken }, [envelopeOf(run, 0, "", { kind: "RunStarted", payload })]);
  return { run, driveToken };
}

async function all<T>(events: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const event of events) found.push(event);
  return found;
}

describe("SalvorClient", () => {
  for (const mishap of ["request lost", "answer lost", "answer cut"] as const) {
    it(`calls a model once although the connection was cut (${mishap})`, async () => {
      const drive = await started();
      proxy.harm("/model-step", mishap);
      assert.deepEqual(await client.modelStep(drive, ASK), answerOf("answer 1"));
      assert.equal(model.attempts.length, 1);
      assert.equal(proxy.count("/model-step"), 2);
    });
  }

  it("tells what a model says, and then what is recorded", async () => {
    const drive = await started();
    model.next(({ options: { onDelta } }) => {
      onDelta?.({ type: "thinking_delta", thinking: "hm" });
      onDelta?.({ type: "text_delta", text: "line\nline" });
      onDelta?.({ type: "usage", input_tokens: 3, output_tokens: 4 });
      return answerOf("line\nline");
    });
    assert.deepEqual(await all(client.streamModelStep(drive, ASK)), [
      { type: "thinking_delta", thinking: "hm" },
      { type: "text_delta", text: "line\nline" },
      { type: "usage", input_tokens: 3, output_tokens: 4 },
      { type: "complete", ...answerOf("line\nline") },
    ] satisfies ModelStepEvent[]);
    assert.deepEqual(await all(client.streamModelStep(drive, ASK)), [
      { type: "complete", ...answerOf("line\nline") },
    ]);
  });

  it("asks for a stream again while it heard nothing, and breaks off once it did", async () => {
    const drive = await started();
    proxy.harm("/model-step?stream=1", "request lost");
    assert.deepEqual(await all(client.streamModelStep(drive, ASK)), [
      { type: "complete", ...answerOf("answer 1") },
    ]);

    const { promise, resolve } = later<ModelAnswer>();
    model.next(({ options: { onDelta } }) => {
      onDelta?.({ type: "text_delta", text: "I " });
      return promise;
    });
    const next = { ...ASK, seq: 3 };
    const heard: ModelStepEvent[] = [];
    const reading = (async () => {
      for await (const event of client.streamModelStep(drive, next)) {
        heard.push(event);
        await proxy.close();
      }
    })();
    await assert.rejects(reading, TransportError);
    assert.deepEqual(heard, [{ type: "text_delta", text: "I " }]);
    resolve(answerOf("I am"));
    assert.deepEqual(await new SalvorClient({ url: server.url }).modelStep(drive, next), answerOf("I am"));
    proxy = await CuttingProxy.start(() => 0);
  });

  it("throws what a model step failed with, before its stream and within it", async () => {
    const drive = await started();
    model.next(
      () => Promise.reject(new ModelFailure("busy")),
      () => Promise.reject(new ModelFailure("busy")),
      ({ options: { onDelta } }) => {
        onDelta?.({ type: "text_delta", text: "I " });
        return Promise.reject(new ModelFailure("broke off"));
      },
    );
    const failed = { code: "model_execution", status: 502, message: "busy" };
    await assert.rejects(client.modelStep(drive, ASK), failed);
    await assert.rejects(all(client.streamModelStep(drive, ASK)), failed);
    const error = await caught(all(client.streamModelStep(drive, ASK)), SalvorError);
    assert.deepEqual([error.code, error.message], ["model_execution", "broke off"]);
    assert.equal(model.attempts.length, 3);
  });

  it("stops listening when its caller does, and the call goes on", async () => {
    const drive = await started();
    const { promise, resolve } = later<ModelAnswer>();
    model.next(({ options: { onDelta } }) => {
      onDelta?.({ type: "text_delta", text: "I " });
      return promise;
    });
    for await (const event of client.streamModelStep(drive, ASK)) {
      assert.equal(event.type, "text_delta");
      break;
    }
    const gone = new AbortController();
    const waiting = (async () => {
      for await (const event of client.streamModelStep(drive, ASK, { signal: gone.signal })) {
        assert.equal(event.type, "text_delta");
        gone.abort(new Error("enough"));
      }
    })();
    await assert.rejects(waiting, { message: "enough" });
    resolve(answerOf("I am"));
    assert.deepEqual(await client.modelStep(drive, ASK), answerOf("I am"));
    assert.equal(model.attempts.length, 1);
  });

  it("reads a run's events as they become durable, each once, over connections that break", async () => {
    const drive = await started();
    const { run } = drive;
    const follower = client.events(run, { follow: true });
    const next = async () => {
      const { value, done } = await follower.next();
      assert.ok(done !== true);
      return value;
    };
    assert.equal((await next()).seq, 0);
    const random = { kind: "RandomObserved", payload: { value: 2n ** 64n - 1n } } as const;
    for (const seq of [1, 2, 3]) {
      await client.appendEvents(drive, [envelopeOf(run, seq, "", random)]);
      proxy.cut("/events?");
      const found = await next();
      assert.deepEqual([found.seq, found.event], [seq, random]);
    }
    const completed = { kind: "RunCompleted", payload: { output: 1 } } as const;
    await client.appendEvents(drive, [envelopeOf(run, 4, "", completed)]);
    assert.deepEqual((await next()).event, completed);
    assert.deepEqual(await follower.next(), {
      done: true,
      value: { status: { state: "completed", output: 1 } },
    });
    assert.ok(proxy.requests.filter((line) => line.includes("/events?from_seq=0&follow=1")).length > 1);
    assert.deepEqual(
      (await all(client.events(run, { fromSeq: 3 }))).map(({ seq }) => seq),
      [3, 4],
    );
    await assert.rejects(all(client.events(crypto.randomUUID())), UnknownRunError);
  });

  it("reads what a log means, and the agents that there are none of", async () => {
    const drive = await started();
    assert.deepEqual(await client.replay(drive.run), {
      status: { state: "running" },
      usage: { input_tokens: 0, output_tokens: 0 },
      next_seq: 1,
      pending: null,
    });
    assert.deepEqual(await client.agents(), []);
  });
});
