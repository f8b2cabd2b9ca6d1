import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { APICallError, generateText, streamText, wrapLanguageModel, type ModelMessage } from "ai";
import type { Fetch } from "#salvor/client/index.js";
import type { TestServer } from "../../client/support/server.js";
import { caught } from "../../client/support/caught.js";
import { Fixture, calling, saying } from "./support/fixture.js";
import { answerOf, piecesOf } from "./support/scripted-model.js";

const ASKED: ModelMessage[] = [{ role: "user", content: "Refund it." }];
const refunding = (results: number) => (results === 0 ? calling(["refund_card", "c1"]) : saying("Done."));

describe("a recorded model of the AI SDK", () => {
  let server: TestServer;
  before(async () => {
    server = await Fixture.start();
  });
  after(async () => {
    await server.remove();
  });

  it("shows words at once, and a call of a tool or the end only when the answer is recorded", async () => {
    const desk = Fixture.on(server, refunding);
    const seen: string[] = [];
    const whenRecording: string[][] = [];
    const fetching: Fetch = (url, init) => {
      if (url.endsWith("client-model-completion")) whenRecording.push([...seen]);
      return fetch(url, init);
    };
    const { loop } = await desk.open({ fetch: fetching });
    const { stream } = await loop.model.doStream({ prompt: [{ role: "user", content: [] }] });
    for await (const part of stream) seen.push(part.type);
    const words = ["text-start", "text-delta", "text-delta", "text-delta", "text-end"];
    const input = ["tool-input-start", "tool-input-delta", "tool-input-end"];
    const before = ["stream-start", "response-metadata", ...words, ...input];
    assert.deepEqual(whenRecording, [before]);
    assert.deepEqual(seen, [...before, "tool-call", "finish"]);
  });

  it("answers from the log what a model answered, with all that belongs to it", async () => {
    const desk = Fixture.on(server, () => saying("Done."));
    const answer = {
      ...answerOf(saying("Done.")),
      content: [
        {
          type: "reasoning" as const,
          text: "It is due.",
          providerMetadata: { scripted: { signature: "s" } },
        },
        { type: "file" as const, mediaType: "text/plain", data: new Uint8Array([72, 105]) },
        { type: "source" as const, sourceType: "url" as const, id: "s1", url: "https://example.com/" },
        { type: "text" as const, text: "Done." },
      ],
      providerMetadata: { scripted: { tier: "standard" } },
      finishReason: { unified: "stop" as const, raw: "end_turn" },
    };
    desk.model.doGenerate = () => Promise.resolve({ ...answer, request: { body: "secret" } });
    const first = await desk.open();
    const told = await generateText({ ...first.loop, messages: ASKED });
    const again = await desk.open();
    const recorded = await generateText({ ...again.loop, messages: ASKED });
    const streamed = streamText({ ...again.loop, messages: ASKED });
    for (const [name, step] of [
      ["at once", recorded],
      ["as a stream", (await streamed.steps)[0]],
    ] as const) {
      assert.ok(step !== undefined, name);
      assert.equal(step.text, "Done.", name);
      assert.equal(step.reasoning[0]?.text, "It is due.", name);
      assert.deepEqual(step.content[0], answer.content[0], name);
      assert.equal(step.files[0]?.base64, told.files[0]?.base64, name);
      assert.deepEqual(step.sources, told.sources, name);
      assert.deepEqual(step.providerMetadata, told.providerMetadata, name);
      assert.equal(step.rawFinishReason, "end_turn", name);
      assert.deepEqual(step.usage, told.usage, name);
      assert.deepEqual(step.response.timestamp, told.response.timestamp, name);
      assert.equal(step.response.id, told.response.id, name);
    }
    assert.equal(told.request.body, "secret", "how it was carried is known where it was");
    const log = await desk.client().log(desk.runId);
    assert.ok(
      !JSON.stringify(log, (_, value: unknown) => (typeof value === "bigint" ? "" : value)).includes(
        "secret",
      ),
    );
  });

  it("is asked again when it failed, by the AI SDK or by a turn that is repeated, and recorded once", async () => {
    let isDown = true;
    const desk = Fixture.on(server, () => {
      if (!isDown) return saying("Done.");
      isDown = false;
      throw new APICallError({ message: "busy", url: "http://x", requestBodyValues: {}, isRetryable: true });
    });
    const { loop } = await desk.open();
    await caught(generateText({ ...loop, messages: ASKED, maxRetries: 0 }), APICallError);
    assert.deepEqual(await desk.kinds(), ["ModelCallRequested"]);
    isDown = true;
    assert.equal((await generateText({ ...loop, messages: ASKED, maxRetries: 1 })).text, "Done.");
    assert.deepEqual(await desk.kinds(), ["ModelCallRequested", "ModelCallCompleted"]);
    assert.equal(desk.model.prompts.length, 3);
  });

  it("records nothing of a stream that failed or was given up, and performs nothing of it", async () => {
    const desk = Fixture.on(server, refunding);
    const { loop } = await desk.open();
    const pieces = piecesOf(answerOf(calling(["refund_card", "c1"])));
    const failing = [...pieces.slice(0, -1), { type: "error" as const, error: new Error("overloaded") }];
    const doStream = desk.model.doStream.bind(desk.model);
    desk.model.doStream = () => Promise.resolve({ stream: streamOf(failing) });
    const errors: unknown[] = [];
    await streamText({
      ...loop,
      messages: ASKED,
      onError: ({ error }) => void errors.push(error),
    }).consumeStream();
    assert.match(String(errors[0]), /overloaded/);

    desk.model.doStream = () => Promise.resolve({ stream: streamOf(pieces.slice(0, -1)) });
    await streamText({
      ...loop,
      messages: ASKED,
      onError: ({ error }) => void errors.push(error),
    }).consumeStream();
    assert.match(String(errors[1]), /before its answer was complete/);

    let given: unknown;
    desk.model.doStream = () =>
      Promise.resolve({ stream: new ReadableStream({ cancel: (reason) => void (given = reason) }) });
    const { stream } = await loop.model.doStream({ prompt: [{ role: "user", content: [] }] });
    await stream.cancel("enough");
    assert.equal(given, "enough", "the model is told");

    const asked = "ModelCallRequested";
    assert.deepEqual(
      await desk.kinds(),
      [asked, "ModelCallCompleted", asked],
      "given up, for another request",
    );
    assert.equal(desk.world.attempts.length, 0);
    desk.model.doStream = doStream;
    assert.equal(await streamText({ ...loop, messages: ASKED }).text, "Done.");
    assert.equal(desk.world.attempts.length, 1);
  });

  it("has no call performed of an answer that was cut off, as the AI SDK performs none", async () => {
    const desk = Fixture.on(server, refunding);
    const cut = {
      ...answerOf(calling(["refund_card", "c1"])),
      finishReason: { unified: "length" as const, raw: "max" },
    };
    desk.model.doGenerate = () => Promise.resolve(cut);
    for (let starts = 0; starts < 2; starts += 1) {
      const { loop } = await desk.open();
      await generateText({ ...loop, messages: ASKED });
      await streamText({ ...loop, messages: ASKED }).consumeStream();
    }
    assert.equal(desk.world.attempts.length, 0);
    assert.deepEqual(await desk.kinds(), ["ModelCallRequested", "ModelCallCompleted"]);
  });

  it("is known by what is asked, of which middlewares before it are a part", async () => {
    const desk = Fixture.on(server, () => saying("Done."));
    const { durable } = await desk.open();
    const colder = {
      specificationVersion: "v3" as const,
      transformParams: ({ params }: { params: object }) => ({ ...params, temperature: 0 }),
    };
    const ask = (headers: Record<string, string>, middleware: readonly object[]) =>
      generateText({
        model: wrapLanguageModel({
          model: desk.model,
          middleware: [...middleware, durable.middleware] as never,
        }),
        ...{ messages: ASKED, headers },
      });
    await ask({ "x-request-id": "1" }, []);
    await ask({ "x-request-id": "2" }, []);
    assert.equal(desk.model.prompts.length, 1, "headers decide nothing");
    await ask({}, [colder]);
    assert.equal(desk.model.prompts.length, 2);
  });
});

function streamOf<T>(parts: readonly T[]): ReadableStream<T> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}
