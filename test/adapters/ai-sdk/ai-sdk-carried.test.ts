import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { generateText, streamText, type ModelMessage } from "ai";
import { DivergenceError, WaitingError } from "#salvor/client/index.js";
import { caught } from "../../client/support/caught.js";
import type { TestServer } from "../../client/support/server.js";
import type { Turn } from "../support/desk.js";
import { approved } from "./support/approved.js";
import { Fixture, calling, saying } from "./support/fixture.js";
import { ScriptedModel, resultsIn } from "./support/scripted-model.js";

const ASKED: ModelMessage[] = [{ role: "user", content: "Wire it." }];
const PAID = { refund_id: "re_seen", amount_cents: 500 };
const wiring = (results: number) => (results === 0 ? calling(["wire_out", "c1"]) : saying("Wired."));

let server: TestServer;
before(async () => {
  server = await Fixture.start();
});
after(async () => {
  await server.remove();
});

describe("a settled call that the AI SDK would tell its model otherwise", () => {
  /** A run whose only call was settled as performed, and the messages of its first turn. */
  const settled = async () => {
    const desk = Fixture.on(server, wiring);
    const { durable, loop } = await desk.open();
    const first = await generateText({ ...loop, messages: ASKED });
    const [wait] = durable.waits(first);
    await desk.client().resolve(desk.runId, { seq: wait?.pendingAt ?? -1, output: PAID });
    return { desk, loop, messages: [...ASKED, ...first.response.messages] };
  };

  it("is told as it ended where it was declined, and the same request is asked as if nobody had", async () => {
    const { desk, loop, messages } = await settled();
    const declined = approved(messages, () => false);
    assert.equal((await generateText({ ...loop, messages: declined })).text, "Wired.");
    assert.deepEqual(desk.told, [{ type: "json", value: PAID }]);
    for (const again of [declined, approved(messages), ASKED]) {
      const { loop: next } = await desk.open();
      assert.equal(await streamText({ ...next, messages: again }).text, "Wired.");
    }
    assert.equal(desk.model.prompts.length, 2, "one request, whichever way its results were known");
    assert.equal(desk.world.attempts.length, 1);
  });

  it("is told as it ended in all later requests of the conversation", async () => {
    const { desk, messages } = await settled();
    const model = new ScriptedModel((prompt) => saying(`Done, ${prompt.length} messages.`));
    const declined = approved(messages, () => false);
    const talk = async (said: ModelMessage[]) => {
      const { durable, loop } = await desk.open();
      return generateText({ ...loop, model: durable.model(model), messages: said });
    };
    const second = await talk(declined);
    const later: ModelMessage[] = [
      ...declined,
      ...second.response.messages,
      { role: "user", content: "Well?" },
    ];
    for (let process = 0; process < 2; process += 1) await talk(later);
    assert.equal(model.prompts.length, 2);
    const told = model.prompts.map((prompt) =>
      prompt.flatMap(({ role, content }) =>
        role === "tool" ? content.flatMap((part) => (part.type === "tool-result" ? [part.output] : [])) : [],
      ),
    );
    assert.deepEqual(told, [[{ type: "json", value: PAID }], [{ type: "json", value: PAID }]]);
  });

  it("is told as it ended where an error was kept of it, in whichever words", async () => {
    const { desk, messages } = await settled();
    const result = { type: "tool-result" as const, toolCallId: "c1", toolName: "wire_out" };
    const asked = messages.map((message): ModelMessage => {
      if (message.role !== "assistant" || typeof message.content === "string") return message;
      return { ...message, content: message.content.filter(({ type }) => type !== "tool-approval-request") };
    });
    for (const output of [
      { type: "error-text" as const, value: "An error occurred." },
      { type: "error-json" as const, value: { code: 1 } },
      { type: "execution-denied" as const },
    ]) {
      const { loop } = await desk.open();
      const kept: ModelMessage[] = [...asked, { role: "tool", content: [{ ...result, output }] }];
      assert.equal((await generateText({ ...loop, messages: kept })).text, "Wired.");
    }
    assert.deepEqual(desk.told, [{ type: "json", value: PAID }]);
    assert.equal(desk.model.prompts.length, 2);
  });

  it("is not told at all while it is open, in a process that did not make it either", async () => {
    const desk = Fixture.on(server, wiring);
    const { loop } = await desk.open();
    const first = await generateText({ ...loop, messages: ASKED });
    const { loop: next } = await desk.open();
    const messages = approved([...ASKED, ...first.response.messages], () => false);
    await caught(generateText({ ...next, messages }), WaitingError);
    assert.equal(desk.model.prompts.length, 1);
  });
});

describe("calls for the same in one answer of the AI SDK", () => {
  const twins: Turn = {
    text: "",
    calls: ["c1", "c2"].map((id) => ({ id, tool: "pay_out", input: { order_id: "o-1", amount_cents: 500 } })),
  };
  const needsApproval = () => true;

  it("are one call where the first was declined and the second approved", async () => {
    const desk = Fixture.on(server, (results) => (results === 0 ? twins : saying("One.")));
    const { loop } = await desk.open({ needsApproval });
    const first = await generateText({ ...loop, messages: ASKED });
    const messages = approved([...ASKED, ...first.response.messages], (id) => id === "c2");
    for (let process = 0; process < 2; process += 1) {
      const { loop: next } = await desk.open({ needsApproval });
      assert.equal((await generateText({ ...next, messages })).text, "One.");
    }
    assert.deepEqual(desk.told, [
      { type: "json", value: { refund_id: "re_1", amount_cents: 500 } },
      { type: "execution-denied", reason: undefined },
    ]);
    assert.equal(desk.world.attempts.length, 1);
    assert.equal(desk.model.prompts.length, 2);
  });

  it("are each approved in a request of their own, and each made once", async () => {
    const desk = Fixture.on(server, (results) => (results === 0 ? twins : saying("Both.")));
    const { loop } = await desk.open({ needsApproval });
    const first = await generateText({ ...loop, messages: ASKED });
    const messages = approved([...ASKED, ...first.response.messages]);
    const { loop: next } = await desk.open({ needsApproval });
    assert.equal((await generateText({ ...next, messages })).text, "Both.");
    assert.equal(desk.world.attempts.length, 2);
  });
});

/** A model that breaks off its arguments for calls whose ids say so. */
class Stammering extends ScriptedModel {
  override async doGenerate(...asked: Parameters<ScriptedModel["doGenerate"]>) {
    const answer = await super.doGenerate(...asked);
    const content = answer.content.map((part) =>
      part.type === "tool-call" && part.toolCallId.startsWith("broken")
        ? { ...part, input: '{"order_id":' }
        : part,
    );
    return { ...answer, content };
  }
}

describe("a call of the AI SDK whose arguments were repaired", () => {
  const asking: Turn = {
    text: "",
    calls: [
      { id: "broken", tool: "pay_out", input: {} },
      { id: "c2", tool: "pay_out", input: { order_id: "o-1", amount_cents: 500 } },
    ],
  };

  for (const amount_cents of [500, 300])
    it(`is made once beside its neighbour, with ${amount_cents === 500 ? "the same" : "another"} input`, async () => {
      const desk = Fixture.on(server, () => saying("unused"));
      const model = new Stammering((prompt) => (resultsIn(prompt) === 0 ? asking : saying("Paid.")));
      const repaired = JSON.stringify({ order_id: "o-1", amount_cents });
      const run = async (options: { readonly needsApproval?: () => boolean }, messages: ModelMessage[]) => {
        const { durable, loop } = await desk.open(options);
        return generateText({
          ...{ ...loop, model: durable.model(model), messages },
          experimental_repairToolCall: ({ toolCall }) => Promise.resolve({ ...toolCall, input: repaired }),
        });
      };
      // The second of them waits for the customer, whose approval comes in another process.
      const needsApproval = () => true;
      const first = await run({ needsApproval }, ASKED);
      assert.equal(desk.world.attempts.length, 0);
      const messages = approved([...ASKED, ...first.response.messages]);
      assert.equal((await run({ needsApproval }, messages)).text, "Paid.");
      assert.equal((await run({}, ASKED)).text, "Paid.", "repeated from its start");
      assert.deepEqual(
        desk.world.attempts.map(({ input }) => input.amount_cents),
        [amount_cents, 500],
      );
      assert.equal(model.prompts.length, 2);
    });
});

describe("a loop of the AI SDK beside another in one run", () => {
  it("is refused while calls of the other have not been made, and the other goes on", async () => {
    const desk = Fixture.on(server, (results) =>
      results === 0 ? calling(["pay_out", "c1"], ["pay_out", "c2"]) : saying("Done."),
    );
    const { loop } = await desk.open();
    let intrude: Promise<unknown> | undefined;
    desk.world.next((input) => {
      intrude = generateText({ ...loop, prompt: "Something else." });
      intrude.catch(() => undefined);
      return { refund_id: "re_1", amount_cents: input.amount_cents };
    });
    assert.equal((await generateText({ ...loop, messages: ASKED })).text, "Done.");
    const refused = await caught(intrude ?? Promise.resolve(), DivergenceError);
    assert.match(refused.message, /One loop at a time/);
    assert.equal(desk.world.attempts.length, 2);
  });

  it("is not hindered by one that was stopped before it made its calls", async () => {
    const desk = Fixture.on(server, (results) =>
      results === 0 ? calling(["pay_out", "c1"], ["pay_out", "c2"]) : saying("Done."),
    );
    const { loop } = await desk.open();
    const stop = new AbortController();
    desk.world.next((input) => {
      stop.abort();
      return { refund_id: "re_1", amount_cents: input.amount_cents };
    });
    const { signal: abortSignal } = stop;
    await caught(generateText({ ...loop, abortSignal, messages: ASKED }), DOMException);
    const other = [...ASKED, { role: "user" as const, content: "Never mind." }];
    const next = await generateText({ ...loop, messages: other });
    assert.equal(next.text, "Done.");
  });
});
