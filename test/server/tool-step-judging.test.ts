import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DynTool } from "#salvor/index.js";
import { hostedTool, hostedTools } from "../support/hosted-tools.js";
import { TestServer } from "../support/test-server.js";

/** A tool whose author's schema says when it wants to whether it accepts an input. */
function slowToJudge(judge: () => Promise<readonly never[]>, timeoutMs?: number): DynTool {
  const own = hostedTool("send", "write", () => ({ sent: true }));
  return {
    name: own.name,
    description: own.description,
    effect: own.effect,
    inputSchema: own.inputSchema,
    callJson: (ctx, input) => own.callJson(ctx, input),
    judgeInput: judge,
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

void describe("tool-step with a tool whose schema takes its time", () => {
  it("holds up nobody else on the run, and is performed once the schema has answered", async () => {
    let accept: () => void = () => undefined;
    let asked: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (asked = resolve));
    const tool = slowToJudge(() => {
      asked();
      return new Promise((resolve) => {
        accept = () => {
          resolve([]);
        };
      });
    });
    const server = await TestServer.start({ hosted: hostedTools(tool) });
    try {
      const run = await server.open();
      const answer = run.post("tool-step", { seq: 2, tool: "send", input: {} });
      await begun;
      assert.equal((await run.event(1, "NowObserved", { now: "2026-01-01T00:00:00Z" })).status, 200);
      accept();
      assert.deepEqual((await answer).json, { output: { sent: true } });
    } finally {
      await server.stop();
    }
  });

  it("answers 503 when the schema never does, writes nothing, and asks nobody again who has stopped", async () => {
    const server = await TestServer.start({
      hosted: hostedTools(slowToJudge(() => new Promise(() => undefined), 50)),
    });
    try {
      const run = await server.open();
      const { status, json, headers } = await run.post("tool-step", { seq: 1, tool: "send", input: {} });
      assert.deepEqual([status, json.error.code], [503, "tool_registry_unavailable"]);
      assert.match(json.error.message as string, /input schema of send.*2000 ms.*nothing was recorded/);
      assert.ok(headers.has("retry-after"));
      assert.equal((await run.log()).length, 1);
      assert.equal((await run.event(1, "RunCompleted", { output: 1 })).status, 200);
    } finally {
      await server.stop();
    }
  });

  it("gives up with its server when that stops", async () => {
    let asked: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (asked = resolve));
    const server = await TestServer.start({
      hosted: hostedTools(
        slowToJudge(() => {
          asked();
          return new Promise(() => undefined);
        }),
      ),
    });
    const run = await server.open();
    const answer = run.post("tool-step", { seq: 1, tool: "send", input: {} });
    await begun;
    const stopped = server.stop();
    const { status, json } = await answer;
    assert.deepEqual([status, json.error.code], [503, "shutting_down"]);
    await stopped;
  });
});
