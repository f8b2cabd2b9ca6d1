import assert from "node:assert/strict";
import { request } from "node:http";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { HandlerError } from "#salvor/index.js";
import { hostedTool, hostedTools, Paused } from "../support/hosted-tools.js";
import { TestServer, type Answer, type TestRun } from "../support/test-server.js";

/** Longer than a test: an execution ends when a test says so. */
const executionTtlMs = 600_000;

let paying: Paused;
let looking: Paused;
let setting: Paused;
const tools = () =>
  hostedTools(
    hostedTool("pay", "write", paying.call),
    hostedTool("look", "read", looking.call),
    hostedTool("set", "idempotent", setting.call),
    hostedTool("send", "write", () => "sent"),
    hostedTool("slow", "write", paying.call, { timeoutMs: 20 }),
    hostedTool("order", "write", paying.call, { key: "id" }),
  );

function fresh(): void {
  [paying, looking, setting] = [new Paused(), new Paused(), new Paused()];
}

describe("while a server performs a tool", () => {
  let server: TestServer;
  let run: TestRun;
  beforeEach(async () => {
    fresh();
    server = await TestServer.start({ hosted: tools(), hosting: { executionTtlMs }, operatorToken: "op" });
    run = await server.open();
  });
  afterEach(() => server.stop());

  const step = (seq: number, tool: string, input: unknown = {}) =>
    run.post("tool-step", { seq, tool, input });
  const operator = { bearer: "op" };

  /** Lets the execution lapse, as that of a server that is stuck does. */
  async function lapse(): Promise<void> {
    const execution = await server.store.execution(run.id);
    assert.ok(execution);
    await server.store.releaseExecution(run.id, execution);
  }

  it("a retry joins it: one execution, one end, and both get the answer", async () => {
    const first = step(1, "pay", { to: "a" });
    await paying.begun();
    const retries = [step(1, "pay", { to: "a" }), step(1, "pay", { to: "a" })];
    const other = await step(1, "pay", { to: "b" });
    assert.equal(other.json.error.code, "divergence");
    paying.end({ paid: 1 });
    for (const { status, json } of await Promise.all([first, ...retries])) {
      assert.deepEqual([status, json], [200, { output: { paid: 1 } }]);
    }
    assert.equal(paying.calls, 1);
    assert.equal((await run.log()).length, 3);
    assert.equal(await server.store.execution(run.id), undefined);
  });

  it("the run is free for everything else: it is read, opened again, and its new driver joins", async () => {
    const first = step(1, "pay");
    await paying.begun();
    assert.equal((await run.log()).length, 2);
    assert.equal((await server.get(`/v1/runs/${run.id}`)).json.pending.seq, 1);
    const { json } = await server.post("/v1/client-runs", { run_id: run.id });
    assert.equal((await step(1, "pay")).json.error.code, "invalid_drive_token");
    const joined = server.post(
      `/v1/client-runs/${run.id}/tool-step`,
      { seq: 1, tool: "pay", input: {} },
      { drive: json.drive_token },
    );
    const answered = await Promise.race([joined, server.get(`/v1/runs/${run.id}`)]);
    assert.equal(answered.json.pending.seq, 1);
    paying.end("paid");
    assert.deepEqual((await first).json, { output: "paid" });
    assert.deepEqual((await joined).json, { output: "paid" });
  });

  for (const [tool, paused] of [
    ["pay", () => paying],
    ["look", () => looking],
  ] as const)
    it(`${tool === "pay" ? "a write" : "a read"} is nobody's to settle, to resume, to abandon or to end, and nothing is written`, async () => {
      const first = step(1, tool);
      await paused().begun();
      for (const [path, body] of [
        ["resolve", { seq: 1, output: "paid" }],
        ["resolve", { not_performed: true }],
        ["resume", { input: null }],
        ["abandon", {}],
        ["abandon", { seq: 1 }],
      ] as const) {
        const { status, json } = await server.post(`/v1/runs/${run.id}/${path}`, body, operator);
        assert.deepEqual([status, json.error.code], [409, "wrong_state"], path);
        assert.match(json.error.message, /executing/);
      }
      const driver = await run.post("resolve", { seq: 1, output: "paid" }, operator);
      assert.deepEqual([driver.status, driver.json.error.code], [409, "wrong_state"]);
      assert.match(driver.json.error.message, /executing/);
      for (const [kind, payload] of [
        ["RunCompleted", { output: 1 }],
        ["RunFailed", { error: "x" }],
        ["Suspended", { reason: "x", input_schema: true }],
      ] as const) {
        assert.equal((await run.event(2, kind, payload)).json.error.code, "divergence");
        const steps = await run.post("steps", { steps: [{ event: run.envelope(2, kind, payload) }] });
        assert.equal(steps.json.error.code, "divergence");
      }
      const report = await run.complete(1, { output: "paid" });
      assert.equal(report.json.error.code, "client_completion_refused");
      assert.equal((await run.log()).length, 2);
      paused().end("done");
      assert.deepEqual((await first).json, { output: "done" });
      const abandoned = await server.post(`/v1/runs/${run.id}/abandon`, {}, operator);
      assert.equal(abandoned.status, 200);
    });

  it("its run does not wait for a person, also when its driver is gone", async () => {
    await server.restart({ hosted: tools(), hosting: { executionTtlMs }, leaseTtlMs: 1 });
    const first = step(1, "pay");
    await paying.begun();
    const inGroup = async (group: string): Promise<boolean> => {
      const { json } = await server.get(`/v1/runs?group=${group}`);
      return json.runs.some((each: { run: string }) => each.run === run.id);
    };
    while ((await server.get("/v1/runs")).json.runs[0].driver === "attached");
    assert.deepEqual([await inGroup("waiting"), await inGroup("progress")], [false, true]);
    await lapse();
    assert.deepEqual([await inGroup("waiting"), await inGroup("progress")], [true, false]);
    paying.end("paid");
    await first;
  });

  it("a caller that goes away changes nothing: the tool goes on, its result is recorded, a retry joins or is answered", async () => {
    const body = JSON.stringify({ seq: 1, tool: "pay", input: {} });
    const calling = request(`${server.url}/v1/client-runs/${run.id}/tool-step`, {
      method: "POST",
      headers: { "X-Drive-Token": run.token, "Content-Length": Buffer.byteLength(body) },
    });
    calling.on("error", () => undefined);
    calling.end(body);
    await paying.begun();
    calling.destroy();
    const retry = step(1, "pay");
    assert.equal(paying.ctx().signal.aborted, false);
    paying.end("paid");
    assert.deepEqual((await retry).json, { output: "paid" });
    assert.deepEqual((await step(1, "pay")).json, { output: "paid" });
    assert.equal(paying.calls, 1);
  });

  it("whose execution lapsed, a person may settle its call; the result that comes late is kept beside the log", async () => {
    const first = step(1, "pay");
    await paying.begun();
    await lapse();
    const settled = await server.post(`/v1/runs/${run.id}/resolve`, { seq: 1, output: "by hand" }, operator);
    assert.equal(settled.status, 200);
    paying.end({ paid: "twice?" });
    assert.deepEqual((await first).json, { output: "by hand" });
    const { refused_reports: reports } = (await server.get(`/v1/runs/${run.id}`)).json;
    assert.equal(reports.length, 1);
    assert.deepEqual(
      [reports[0].seq, reports[0].code, reports[0].output],
      [1, "divergence", { paid: "twice?" }],
    );
    assert.match(reports[0].message, /another end of it was recorded/);
    assert.equal((await run.log()).length, 3);
  });

  it("whose execution lapsed, a failure that comes late is kept too, and an equal result is not kept twice", async () => {
    const first = step(1, "pay");
    await paying.begun();
    await lapse();
    await server.post(`/v1/runs/${run.id}/resolve`, { seq: 1, output: "by hand" }, operator);
    paying.fail(new HandlerError("declined"));
    await first;
    const second = step(3, "pay");
    await paying.begun(2);
    await lapse();
    await server.post(`/v1/runs/${run.id}/resolve`, { seq: 3, output: "paid" }, operator);
    paying.end("paid");
    await second;
    const { refused_reports: reports } = (await server.get(`/v1/runs/${run.id}`)).json;
    assert.deepEqual(
      reports.map(({ seq, error }: { seq: number; error: unknown }) => [seq, error]),
      [[1, { kind: "handler", message: "declined" }]],
    );
  });

  it("whose execution lapsed, its run may be abandoned; the result is kept beside it", async () => {
    const first = step(1, "pay");
    await paying.begun();
    await lapse();
    assert.equal((await server.post(`/v1/runs/${run.id}/abandon`, {}, operator)).status, 200);
    paying.end("paid");
    const { status, json } = await first;
    assert.deepEqual([status, json.error.code], [409, "divergence"]);
    const { refused_reports: reports, status: state } = (await server.get(`/v1/runs/${run.id}`)).json;
    assert.deepEqual([state.unresolved_write, reports[0].output], [{ seq: 1, tool: "pay" }, "paid"]);
  });

  it("whose execution lapsed, a result that nobody contradicted still ends the call", async () => {
    const first = step(1, "pay");
    await paying.begun();
    await lapse();
    paying.end("paid");
    assert.deepEqual((await first).json, { output: "paid" });
    assert.equal((await server.get(`/v1/runs/${run.id}`)).json.refused_reports, undefined);
  });

  it("that took too long, its call is open; a result that comes after that ends it", async () => {
    const given = await step(1, "slow");
    assert.deepEqual([given.status, given.json.error.code], [409, "needs_reconciliation"]);
    assert.equal(paying.ctx().signal.aborted, true);
    assert.equal(await server.store.execution(run.id), undefined);
    assert.equal((await step(1, "slow")).json.error.code, "needs_reconciliation");
    const recorded = new Promise<void>((resolve) => {
      server.store.subscribe(run.id, () => {
        resolve();
      });
    });
    paying.end("paid after all");
    await recorded;
    assert.deepEqual((await step(1, "slow")).json, { output: "paid after all" });
    assert.equal(paying.calls, 1);
  });

  it("that took too long, a result that comes after a person has settled the call is kept beside the log", async () => {
    await step(1, "slow");
    await server.post(
      `/v1/runs/${run.id}/resolve`,
      { seq: 1, not_performed: true, note: "nothing there" },
      operator,
    );
    paying.end("paid after all");
    const reports = async () => (await server.get(`/v1/runs/${run.id}`)).json.refused_reports;
    while ((await reports()) === undefined);
    assert.equal((await reports())[0].output, "paid after all");
    assert.equal((await step(1, "slow")).json.error.code, "tool_execution");
  });

  it("the same call of another run is in flight, and nothing is recorded of it", async () => {
    const first = step(1, "order", { id: "A" });
    await paying.begun();
    const other = await server.open();
    const second = await other.post("tool-step", { seq: 1, tool: "order", input: { id: "A" } });
    assert.deepEqual([second.status, second.json.error.code], [409, "divergence"]);
    assert.deepEqual(second.json.error.details.holder, { run_id: run.id, seq: 1 });
    assert.equal((await other.log()).length, 1);
    paying.end("ordered");
    await first;
    const third = await other.post("tool-step", { seq: 1, tool: "order", input: { id: "A" } });
    assert.deepEqual(third.json, { output: "ordered" });
    assert.equal(paying.calls, 1);
  });
});

describe("a server that performs two calls at once, with a line of two", () => {
  let server: TestServer;
  before(async () => {
    fresh();
    const hosting = { concurrency: 2, lineLength: 2, executionTtlMs };
    server = await TestServer.start({ hosted: tools(), hosting });
  });
  after(() => server.stop());

  it("lets others wait with nothing recorded, refuses who finds the line full with 503 and Retry-After, and answers the rest", async () => {
    const runs = await Promise.all(Array.from({ length: 7 }, () => server.open()));
    const step = (at: number): Promise<Answer> =>
      runs[at]!.post("tool-step", { seq: 1, tool: "pay", input: { at } });
    const working = [step(0), step(1)];
    await paying.begun(2);
    const { refused, waiting } = await inLine([2, 3, 4, 5], step, 2);
    for (const { json, headers } of refused) {
      assert.equal(json.error.code, "tool_registry_unavailable");
      assert.match(json.error.message, /nothing was recorded/);
      assert.ok(Number(headers.get("retry-after")) >= 1);
    }
    for (const at of [2, 3, 4, 5]) assert.equal((await runs[at]!.log()).length, 1);
    // A retry of one that waits takes no place, and what can be answered without a tool is.
    const [first] = waiting;
    const retry = step(first!.at);
    const illegal = await runs[6]!.post("tool-step", { seq: 9, tool: "pay", input: {} });
    assert.equal(illegal.json.error.code, "divergence");
    assert.equal(paying.calls, 2);
    for (const at of [0, 1, 2, 3]) {
      await paying.begun(Math.min(4, at + 2));
      paying.end(`end ${at}`, at);
    }
    for (const { status } of await Promise.all([...working, retry, ...waiting.map(({ answer }) => answer)])) {
      assert.equal(status, 200);
    }
    assert.deepEqual((await retry).json, (await first!.answer).json);
    assert.equal(paying.calls, 4);
    const last = runs[6]!.post("tool-step", { seq: 1, tool: "pay", input: {} });
    await paying.begun(5);
    paying.end("fifth");
    assert.deepEqual((await last).json, { output: "fifth" });
  });

  it("answers a call whose driver was superseded while it waited 403, with nothing recorded", async () => {
    fresh();
    await server.restart({ hosted: tools(), hosting: { concurrency: 1, lineLength: 1 } });
    const runs = await Promise.all(Array.from({ length: 3 }, () => server.open()));
    const step = (at: number): Promise<Answer> =>
      runs[at]!.post("tool-step", { seq: 1, tool: "pay", input: {} });
    const working = step(0);
    await paying.begun();
    const { waiting } = await inLine([1, 2], step, 1);
    const [{ at, answer }] = waiting as [Waiting];
    await server.post("/v1/client-runs", { run_id: runs[at]!.id });
    paying.end("paid");
    await working;
    assert.equal((await answer).json.error.code, "invalid_drive_token");
    assert.equal((await runs[at]!.log()).length, 1);
    assert.equal(paying.calls, 1);
  });
});

interface Waiting {
  readonly at: number;
  readonly answer: Promise<Answer>;
}

/** Asks for more than a line takes: once so many are refused, all others are in it. */
async function inLine(
  asked: readonly number[],
  step: (at: number) => Promise<Answer>,
  refusals: number,
): Promise<{ readonly refused: readonly Answer[]; readonly waiting: readonly Waiting[] }> {
  const all = asked.map((at) => ({ at, answer: step(at) }));
  const refused = new Map<number, Answer>();
  await new Promise<void>((resolve) => {
    for (const { at, answer } of all) {
      void answer.then((refusal) => {
        refused.set(at, refusal);
        if (refused.size === refusals) resolve();
      });
    }
  });
  for (const { status } of refused.values()) assert.equal(status, 503);
  return { refused: [...refused.values()], waiting: all.filter(({ at }) => !refused.has(at)) };
}

describe("a server that stops", () => {
  let server: TestServer;
  let run: TestRun;
  beforeEach(async () => {
    fresh();
    server = await TestServer.start({ hosted: tools(), hosting: { concurrency: 2 } });
    run = await server.open();
  });
  afterEach(() => server.stop());

  it("waits for its tools, and answers", async () => {
    const first = run.post("tool-step", { seq: 1, tool: "pay", input: {} });
    await paying.begun();
    const closed = server.close();
    paying.end("paid");
    assert.deepEqual((await first).json, { output: "paid" });
    await closed;
  });

  it("refuses who is in line, and records nothing of them", async () => {
    await server.restart({ hosted: tools(), hosting: { concurrency: 1, lineLength: 1 } });
    const runs = [run, await server.open(), await server.open()];
    const step = (at: number): Promise<Answer> =>
      runs[at]!.post("tool-step", { seq: 1, tool: "pay", input: {} });
    const working = step(0);
    await paying.begun();
    const { waiting } = await inLine([1, 2], step, 1);
    const closed = server.close();
    const [{ at, answer }] = waiting as [Waiting];
    const { status, json } = await answer;
    assert.deepEqual([status, json.error.code], [503, "shutting_down"]);
    paying.end("paid");
    assert.deepEqual((await working).json, { output: "paid" });
    await closed;
    fresh();
    await server.restart();
    assert.equal((await runs[at]!.log()).length, 1);
  });

  it("aborts the signal of a tool that does not end, and leaves a write open and a read to be performed again", async () => {
    const other = await server.open();
    const working = [
      run.post("tool-step", { seq: 1, tool: "pay", input: {} }),
      other.post("tool-step", { seq: 1, tool: "look", input: {} }),
    ] as const;
    await Promise.all([paying.begun(), looking.begun()]);
    await server.close(3_000);
    const [write, read] = await Promise.all(working);
    assert.deepEqual([write.status, write.json.error.code], [409, "needs_reconciliation"]);
    assert.deepEqual([read.status, read.json.error.code], [503, "shutting_down"]);
    assert.deepEqual([paying.ctx().signal.aborted, looking.ctx().signal.aborted], [true, true]);
    fresh();
    await server.restart({ hosted: tools() });
    const again = await run.post("tool-step", { seq: 1, tool: "pay", input: {} });
    assert.equal(again.json.error.code, "needs_reconciliation");
    const reading = other.post("tool-step", { seq: 1, tool: "look", input: {} });
    await looking.begun();
    looking.end("seen");
    assert.deepEqual((await reading).json, { output: "seen" });
    assert.equal(paying.calls, 0);
  });
});
