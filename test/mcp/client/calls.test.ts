import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { HandlerError, HandlerFailed, UnknownOutcomeError } from "#salvor/index.js";
import { CallTimeout } from "#salvor/contract/perform-call.js";
import { IDEMPOTENCY_KEY_META, type Elicitation, type McpProgress } from "#salvor/mcp/index.js";
import { call, scripted, textOf, type Scripted } from "../../support/mcp-servers.js";
import type { Behaviour } from "../../support/mcp-scenario.js";

const ORDER = { type: "object", properties: { order: { type: "string" } }, required: ["order"] };
const tool = (name: string, annotations: object = {}, more: object = {}) => ({
  ...{ name, inputSchema: { type: "object" }, annotations },
  ...more,
});
const READ = { readOnlyHint: true };
const IDEMPOTENT = { idempotentHint: true };

const failed = { isError: true, content: [{ type: "text", text: "card declined" }] };
const whole = {
  content: [
    { type: "text", text: "ok" },
    { type: "something-new", x: [1] },
  ],
  structuredContent: { total: 3, __proto: {} },
  _meta: { "example.com/trace": "t1" },
  unknownMember: { kept: true },
};
const refuse = (code: number): readonly Behaviour[] => [{ does: "refuse", error: { code, message: "no" } }];
const answer = (result: unknown): readonly Behaviour[] => [{ does: "answer", result }];

let scripts: Scripted;
const progress: McpProgress[] = [];
const asked: Elicitation[] = [];

before(async () => {
  const withOutput = {
    outputSchema: { type: "object", required: ["total"], properties: { total: { type: "integer" } } },
  };
  scripts = await scripted(
    {
      tools: [
        tool("pay", {}, { inputSchema: ORDER }),
        tool("whole"),
        ...["failing", "definite"].map((name) => tool(name)),
        tool("failing_read", READ),
        tool("failing_idempotent", IDEMPOTENT),
        tool("no_method"),
        tool("bad_params"),
        tool("internal"),
        tool("internal_read", READ),
        tool("internal_definite"),
        tool("good", READ, withOutput),
        tool("wrong", READ, withOutput),
        tool("wrong_write", {}, withOutput),
        tool("missing", READ, withOutput),
        tool("reserved", READ),
        tool("unreadable"),
        tool("none", READ),
        tool("long", READ),
        tool("hangs", READ),
        tool("hangs_write"),
        tool("asks"),
      ],
      calls: {
        whole: answer(whole),
        ...{ failing: answer(failed), failing_read: answer(failed) },
        ...{ failing_idempotent: answer(failed), definite: answer(failed) },
        ...{ no_method: refuse(-32601), bad_params: refuse(-32602) },
        ...{ internal: refuse(-32603), internal_read: refuse(-32603), internal_definite: refuse(-32000) },
        good: answer({ content: [], structuredContent: { total: 3 } }),
        ...{ wrong: answer({ content: [], structuredContent: { total: "3" } }) },
        ...{ wrong_write: answer({ content: [], structuredContent: { total: "3" } }) },
        missing: answer({ content: [] }),
        reserved: answer({ __salvor_error: { is_error: true } }),
        unreadable: answer({ content: [], structuredContent: { n: 2 ** 60 } }),
        none: answer({ contents: [] }),
        long: [{ does: "progress" }],
        ...{ hangs: [{ does: "hang" }], hangs_write: [{ does: "hang" }] },
        asks: [
          {
            does: "ask",
            params: {
              message: "Sure?",
              requestedSchema: { type: "object", properties: { sure: { type: "boolean" } } },
            },
          },
        ],
      },
    },
    {
      tools: {
        pay: { idempotencyKey: "order" },
        definite: { errorsAreDefinite: true },
        internal_definite: { errorsAreDefinite: true },
      },
      onProgress: (each) => progress.push(each),
      onElicitation: (each) => {
        asked.push(each);
        return { action: "accept", content: { sure: true } };
      },
    },
  );
});
after(() => scripts.close());

it("arguments that the server's schema does not accept are refused, and nothing is sent", async () => {
  await assert.rejects(call(scripts.tool("pay"), { order: 1 }), { code: "invalid_input" });
  await assert.rejects(call(scripts.tool("pay"), {}), { code: "invalid_input" });
  assert.deepEqual(await scripts.tool("pay").judgeInput?.({}), [
    { path: "$", message: 'expected a member "order", found an empty object' },
  ]);
  assert.equal(await scripts.calls("pay"), 0);
});

it("the idempotency key travels in _meta, derived from the declared path", async () => {
  const { params } = JSON.parse(`{"params":${textOf(await call(scripts.tool("pay"), { order: "o1" }))}}`);
  assert.equal(params._meta[IDEMPOTENCY_KEY_META], "pay:o1");
  assert.deepEqual(params.arguments, { order: "o1" });
  const recorded = JSON.parse(
    textOf(await call(scripts.tool("pay"), { order: "o1" }, { idempotencyKey: "k" })),
  );
  assert.equal(recorded._meta[IDEMPOTENCY_KEY_META], "k");
});

it("a result is kept whole, whatever it holds that is not known", async () => {
  assert.deepEqual(await call(scripts.tool("whole")), { outcome: "output", output: whole });
});

it("an error result of a write says nothing about its effect, unless the operator says that it does", async () => {
  await assert.rejects(call(scripts.tool("failing")), (error) => {
    assert.ok(error instanceof UnknownOutcomeError);
    assert.match(error.message, /card declined/);
    return true;
  });
  await assert.rejects(call(scripts.tool("definite")), isDefinite(/card declined/));
});

it("an error result of a tool that may be repeated is a failure with its text", async () => {
  for (const name of ["failing_read", "failing_idempotent"]) {
    await assert.rejects(call(scripts.tool(name)), isDefinite(/card declined/));
  }
});

it("only a refusal before it began is definite for a write", async () => {
  await assert.rejects(call(scripts.tool("no_method")), isDefinite(/-32601/));
  await assert.rejects(call(scripts.tool("bad_params")), isDefinite(/-32602/));
  await assert.rejects(call(scripts.tool("internal")), UnknownOutcomeError);
  await assert.rejects(call(scripts.tool("internal_read")), isDefinite(/-32603/));
  await assert.rejects(call(scripts.tool("internal_definite")), isDefinite(/-32000/));
});

it("structured content is held to the declared output schema", async () => {
  assert.equal((await call(scripts.tool("good"))).outcome, "output");
  await assert.rejects(call(scripts.tool("wrong")), { code: "output_serialization" });
  await assert.rejects(call(scripts.tool("missing")), /structuredContent/);
  await assert.rejects(call(scripts.tool("wrong_write")), UnknownOutcomeError);
  const { judgeOutput } = scripts.tool("good");
  assert.deepEqual(await judgeOutput?.({ content: [], structuredContent: { total: 1 } }), []);
  assert.equal((await judgeOutput?.({ content: [] }))?.length, 1);
});

it("what cannot be recorded is no result", async () => {
  await assert.rejects(call(scripts.tool("none")), { code: "output_serialization" });
  await assert.rejects(call(scripts.tool("reserved")), { code: "output_serialization" });
  await assert.rejects(call(scripts.tool("unreadable")), UnknownOutcomeError);
});

it("progress is told with the call that it belongs to", async () => {
  await call(scripts.tool("long"), {}, { runId: "r1", seq: 4 });
  const common = { server: "scripted", tool: "long", runId: "r1", seq: 4, total: 2 };
  assert.deepEqual(progress, [
    { ...common, progress: 1 },
    { ...common, progress: 2 },
  ]);
});

it("a call that is given up is cancelled at the server; a write's outcome is unknown then", async () => {
  for (const name of ["hangs", "hangs_write"]) {
    const giving = new AbortController();
    const calling = call(scripts.tool(name), {}, { signal: giving.signal });
    await scripts.journalSays((lines) => lines.some((line) => line.call === name));
    const reason = new CallTimeout(name, 5);
    giving.abort(reason);
    await assert.rejects(calling, (error: Error) => {
      assert.equal(error instanceof UnknownOutcomeError, name === "hangs_write");
      assert.equal(error.cause, reason);
      return true;
    });
    await scripts.journalSays((lines) => {
      const id = lines.find((line) => line.call === name)?.id;
      return lines.some((line) => line.cancelled === id);
    });
  }
});

it("a call that is given up before it is sent has definitely not happened", async () => {
  await assert.rejects(
    call(scripts.tool("internal"), {}, { signal: AbortSignal.abort(new Error("too late")) }),
    isDefinite(/nothing was sent/),
  );
});

it("what a server asks in the middle of a call is answered by the host", async () => {
  const told = JSON.parse(textOf(await call(scripts.tool("asks"))));
  assert.deepEqual(told, { action: "accept", content: { sure: true } });
  assert.equal(asked.length, 1);
  assert.equal(asked[0]?.message, "Sure?");
  assert.deepEqual(asked[0].openCalls, ["asks"]);
});

it("without a host that answers, it is declined", async (t) => {
  const params = { message: "Sure?", requestedSchema: { type: "object", properties: {} } };
  const { tool: of, close } = await scripted({
    tools: [tool("asks")],
    calls: { asks: [{ does: "ask", params }] },
  });
  t.after(close);
  assert.equal(textOf(await call(of("asks"))), '{"action":"decline"}');
});

function isDefinite(says: RegExp) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof HandlerFailed, String(error));
    assert.ok(error.definite);
    assert.ok(error.cause instanceof HandlerError);
    assert.match(error.message, says);
    return true;
  };
}
