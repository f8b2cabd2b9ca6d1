import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { suspend } from "#salvor/index.js";
import { hostedTool, hostedTools, type HostedShape } from "../support/hosted-tools.js";
import { TestServer, type Answer, type TestRun } from "../support/test-server.js";

const OPERATOR = "operator-secret";
const ASK = { reason: "approve?", input_schema: { type: "object" } };
const keyed: HostedShape = { key: "order" };

/** How a call that suspended its run fares when that ends. */
void describe("a run that ends while one of its calls waits for a person", () => {
  let performed = 0;
  const asking = (name: string, effect: "idempotent" | "write") =>
    hostedTool(
      name,
      effect,
      () => {
        performed += 1;
        return suspend(ASK.reason, ASK.input_schema);
      },
      keyed,
    );
  let server: TestServer;
  let run: TestRun;
  before(async () => {
    const hosted = hostedTools(asking("pay", "write"), asking("set", "idempotent"));
    server = await TestServer.start({ hosted, operatorToken: OPERATOR });
  });
  after(() => server.stop());
  beforeEach(async () => {
    run = await server.open();
  });

  const verdict = ({ status, json }: Answer) => [status, json.error?.code];
  const end = (seq: number, kind: string, bearer?: string) => {
    const payload = kind === "RunFailed" ? { error: "no" } : { output: 1 };
    return run.post(
      "events",
      { events: [run.envelope(seq, kind, payload)] },
      bearer === undefined ? {} : { bearer },
    );
  };
  const decide = (what: string, body: object) =>
    server.post(`/v1/runs/${run.id}/${what}`, body, { bearer: OPERATOR });
  const step = (seq: number, tool: string, order: string, of = run) =>
    of.post("tool-step", { seq, tool, input: { order } });

  for (const kind of ["RunCompleted", "RunFailed"]) {
    it(`is not ended by its client with ${kind} while a write waits, alone or in steps`, async () => {
      await run.intent(1, "charge_card", { cents: 5 });
      await run.complete(1, { suspend: ASK });
      const alone = await end(4, kind);
      assert.deepEqual(verdict(alone), [403, "operator_required"]);
      assert.match(alone.json.error.message as string, /charge_card at seq 1.*\/resume/);
      const envelope = run.envelope(4, kind, kind === "RunFailed" ? { error: "no" } : { output: 1 });
      const inSteps = await run.post("steps", { steps: [{ event: envelope }] });
      assert.deepEqual(
        [...verdict(inSteps), inSteps.json.error.details],
        [403, "operator_required", { step: 0 }],
      );
      assert.equal((await run.log()).length, 4);
      assert.equal((await end(4, kind, OPERATOR)).status, 200);
    });
  }

  it("is not ended either in the very steps that report the suspension", async () => {
    await run.intent(1, "charge_card", { cents: 5 });
    const answer = await run.post("steps", {
      steps: [
        { tool_completion: { seq: 1, suspend: ASK } },
        { event: run.envelope(4, "RunCompleted", { output: 1 }) },
      ],
    });
    assert.deepEqual(
      [...verdict(answer), answer.json.error.details],
      [403, "operator_required", { step: 1 }],
    );
    assert.equal((await run.log()).length, 2);
  });

  it("is ended by its client when no write waits: a suspension of its own, or one of a read", async () => {
    await run.event(1, "Suspended", ASK);
    assert.equal((await end(2, "RunFailed")).status, 200);
    run = await server.open();
    await run.intent(1, "get_price", { sku: "a" });
    await run.complete(1, { suspend: ASK });
    assert.equal((await end(4, "RunCompleted")).status, 200);
  });

  it("is ended by its client without an operator token: it is trusted as one", async () => {
    const trusting = await TestServer.start();
    try {
      const own = await trusting.open();
      await own.intent(1, "charge_card", { cents: 5 });
      await own.complete(1, { suspend: ASK });
      assert.equal((await own.event(4, "RunCompleted", { output: 1 })).status, 200);
    } finally {
      await trusting.stop();
    }
  });

  it("does not end, whoever asks, while a write waits whose identity others ask for; its answer lets them go on", async () => {
    await step(1, "pay", "shared");
    assert.deepEqual(verdict(await end(4, "RunCompleted", OPERATOR)), [409, "wrong_state"]);
    const abandoned = await decide("abandon", {});
    assert.deepEqual(verdict(abandoned), [409, "wrong_state"]);
    assert.match(abandoned.json.error.message as string, /pay at seq 1.*\/resume/);
    await decide("resume", { seq: 3, input: { approved: true } });
    assert.equal((await decide("abandon", {})).status, 200);
    const other = await server.open();
    assert.deepEqual((await step(1, "pay", "shared", other)).json, { output: { approved: true } });
  });

  for (const how of ["abandon", "RunCompleted"]) {
    it(`frees the identity of an idempotent call that waits, by ${how}: it may be performed again`, async () => {
      await step(1, "set", how);
      const other = await server.open();
      assert.deepEqual(verdict(await step(1, "set", how, other)), [409, "divergence"]);
      const ended = how === "abandon" ? await decide("abandon", {}) : await end(4, how);
      assert.equal(ended.status, 200);
      performed = 0;
      assert.equal((await step(1, "set", how, other)).status, 200);
      assert.equal(performed, 1);
    });
  }
});

void describe("a run that is abandoned while an idempotent call is open", () => {
  it("frees the call's identity", async () => {
    let fails = true;
    const set = hostedTool(
      "set",
      "idempotent",
      (ctx) => {
        if (fails) return new Promise(() => ctx.signal);
        return { done: true };
      },
      keyed,
    );
    const server = await TestServer.start({ hosted: hostedTools(set), hosting: { executionTtlMs: 200 } });
    try {
      const run = await server.open();
      const lost = run.post("tool-step", { seq: 1, tool: "set", input: { order: "a" } });
      const events = await fetch(`${server.url}/v1/runs/${run.id}/events?from_seq=1&follow=1`);
      const [opened] = await Promise.all([events.body?.getReader().read()]);
      assert.equal(opened?.done, false);
      // The server goes down while the call is performed, and gives it up.
      const closing = server.close(0);
      await Promise.allSettled([lost, closing]);
      fails = false;
      await server.restart();
      const other = await server.open();
      const ask = () => other.post("tool-step", { seq: 1, tool: "set", input: { order: "a" } });
      assert.equal((await ask()).json.error.code, "divergence");
      const abandoned = await server.post(`/v1/runs/${run.id}/abandon`, { seq: 1 });
      assert.equal(abandoned.status, 200, abandoned.text);
      assert.deepEqual((await ask()).json, { output: { done: true } });
    } finally {
      await server.stop();
    }
  });
});
