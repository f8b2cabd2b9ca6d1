import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { generateText, streamText, type ModelMessage, type ToolCallRepairFunction } from "ai";
import type { AiSdkRun } from "#salvor/adapters/ai-sdk/index.js";
import { caught } from "../../client/support/caught.js";
import type { TestServer } from "../../client/support/server.js";
import { approved } from "./support/approved.js";
import type { ScriptedModel } from "./support/scripted-model.js";
import { Fixture, callingAlike, saying } from "./support/fixture.js";

const ASKED: ModelMessage[] = [{ role: "user", content: "Pay both." }];
const BROKEN = '{"order_id": "A-17", "amount';

class Crash extends Error {}

type Repair = ToolCallRepairFunction<AiSdkRun["tools"]>;
type ToolCallPart = Extract<
  Awaited<ReturnType<ScriptedModel["doGenerate"]>>["content"][number],
  { readonly type: "tool-call" }
>;

describe("a call of the AI SDK whose arguments were repaired", () => {
  let server: TestServer;
  before(async () => {
    server = await Fixture.start();
  });
  after(async () => {
    await server.remove();
  });

  /** A desk whose model asks for two payments, and gets them wrong. */
  function answering(mistake: (part: ToolCallPart) => ToolCallPart): Fixture {
    const desk = Fixture.on(server, (results) =>
      results === 0 ? callingAlike("pay_out", "c1", "c2") : saying("Both."),
    );
    const doGenerate = desk.model.doGenerate.bind(desk.model);
    desk.model.doGenerate = async (params) => {
      const answer = await doGenerate(params);
      const content = answer.content.map((part) => (part.type === "tool-call" ? mistake(part) : part));
      return { ...answer, content };
    };
    return desk;
  }

  /** Nobody can read the arguments of one. */
  const breaking = (id: string) =>
    answering((part) => (part.toolCallId === id ? { ...part, input: BROKEN } : part));

  const repairing =
    (cents: number): Repair =>
    ({ toolCall }) =>
      Promise.resolve({ ...toolCall, input: JSON.stringify({ order_id: "A-17", amount_cents: cents }) });

  for (const broken of ["c1", "c2"])
    for (const cents of [500, 700]) {
      const what = `${broken} is repaired to ${cents === 500 ? "the same as its neighbour" : "something else"}`;
      const repair = { experimental_repairToolCall: repairing(cents) };
      const amounts = broken === "c1" ? [cents, 500] : [500, cents];
      const paid = (desk: Fixture) => desk.world.attempts.map(({ input }) => input.amount_cents);

      it(`is made once where ${what}, also when the process dies behind the first and the turn is repeated`, async () => {
        const desk = breaking(broken);
        const dying = ({ id }: { readonly id: string }) => {
          if (id === "c2") throw new Crash();
          return false;
        };
        const first = await desk.open({ needsApproval: dying });
        await caught(generateText({ ...first.loop, ...repair, messages: ASKED }), Crash);
        await first.durable.agentRun.run.flush();
        assert.deepEqual(paid(desk), amounts.slice(0, 1));
        const { loop } = await desk.open();
        assert.equal((await generateText({ ...loop, ...repair, messages: ASKED })).text, "Both.");
        const again = await desk.open();
        assert.equal(await streamText({ ...again.loop, ...repair, messages: ASKED }).text, "Both.");
        assert.deepEqual(paid(desk), amounts);
        assert.equal(desk.model.prompts.length, 2);
      });

      it(`is made once where ${what}, and both are approved in another process`, async () => {
        const desk = breaking(broken);
        const needsApproval = () => true;
        const { loop } = await desk.open({ needsApproval });
        const first = await generateText({ ...loop, ...repair, messages: ASKED });
        const messages = approved([...ASKED, ...first.response.messages]);
        for (let starts = 0; starts < 2; starts += 1) {
          const again = await desk.open({ needsApproval });
          assert.equal(await streamText({ ...again.loop, ...repair, messages }).text, "Both.");
          assert.deepEqual(paid(desk), amounts);
        }
        assert.equal(desk.model.prompts.length, 2);
      });
    }

  for (const wrong of ["c1", "c2"])
    it(`is made once where ${wrong} had a tool's name wrong, and the turn is repeated`, async () => {
      const desk = answering((part) => (part.toolCallId === wrong ? { ...part, toolName: "PayOut" } : part));
      const renaming: Repair = ({ toolCall }) => Promise.resolve({ ...toolCall, toolName: "pay_out" });
      for (let starts = 0; starts < 2; starts += 1) {
        const { loop } = await desk.open();
        const repair = { experimental_repairToolCall: renaming };
        assert.equal((await generateText({ ...loop, ...repair, messages: ASKED })).text, "Both.");
        assert.equal(desk.world.attempts.length, 2);
      }
      assert.equal(desk.model.prompts.length, 2);
    });

  it("is not made when nobody repairs it, and the model is told", async () => {
    const desk = breaking("c1");
    for (let starts = 0; starts < 2; starts += 1) {
      const { loop } = await desk.open();
      assert.equal((await generateText({ ...loop, messages: ASKED })).text, "Both.");
      assert.deepEqual(
        desk.told.map(({ type }) => type),
        ["error-text", "json"],
      );
    }
    assert.equal(desk.world.attempts.length, 1);
    assert.equal(desk.model.prompts.length, 2);
  });
});
