import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import fc from "fast-check";
import {
  ClientRun,
  CompletionRefusedError,
  HeldBackError,
  InvalidDriveTokenError,
  NeedsReconciliationError,
  SalvorClient,
  TransportError,
  UndeliveredReportError,
  type OpenOptions,
} from "#salvor/client/index.js";
import type { JsonValue } from "#salvor/contract/json.js";
import { holds } from "#salvor/log/events.js";
import { caught } from "./support/caught.js";
import { CuttingProxy, type Mishap } from "./support/proxy.js";
import { TestServer } from "./support/server.js";
import { ALL, World, toolsFor } from "./support/tools.js";

const START = { agentDefHash: "desk-1", input: { ticket: 7 } };
const ASK = { order_id: "o-1", amount_cents: 500 };
const OTHER = { order_id: "o-2", amount_cents: 900 };
const MISHAPS: readonly Mishap[] = ["request lost", "answer lost", "answer cut"];

describe("a driver whose connection is cut", () => {
  let server: TestServer;
  let direct: SalvorClient;
  let proxy: CuttingProxy;
  let world: World;

  before(async () => {
    server = await TestServer.start(ALL);
    direct = new SalvorClient({ url: server.url });
  });
  after(() => server.remove());
  beforeEach(async () => {
    world = new World();
    proxy = await CuttingProxy.start(() => server.port);
  });
  afterEach(() => proxy.close());

  const open = (retries: number, options: OpenOptions = START) =>
    ClientRun.open(new SalvorClient({ url: proxy.url, retries }), toolsFor(world), options);

  for (const mishap of MISHAPS) {
    it(`sends what is safe to send again, and pays once (${mishap})`, async () => {
      for (const path of ["/client-tools", "/client-runs", "/events", "-intent", "-completion"]) {
        proxy.harm(path, mishap);
      }
      const run = await open(2);
      assert.deepEqual(await run.perform("pay_out", ASK), { refund_id: "re_1", amount_cents: 500 });
      assert.equal(world.attempts.length, 1);
      assert.equal(proxy.count("/client-tool-intent"), 2);
      assert.equal(proxy.count("/client-tool-completion"), 2);
      const log = await direct.log(run.runId);
      assert.deepEqual(
        log.map(({ event }) => event.kind),
        ["RunStarted", "ToolCallRequested", "ToolCallCompleted"],
      );
    });

    it(`executes a write once although its intent's answer was lost for good (${mishap})`, async () => {
      const run = await open(0);
      proxy.harm("-intent", mishap);
      await assert.rejects(run.perform("pay_out", ASK), TransportError);
      assert.equal(world.attempts.length, 0);
      await run.perform("pay_out", ASK);
      assert.equal(world.attempts.length, 1);
    });

    it(`keeps a report that could not be delivered, and delivers it first (${mishap})`, async () => {
      const run = await open(0);
      proxy.harm("-completion", mishap, 2);
      const error = await caught(run.perform("pay_out", ASK), UndeliveredReportError);
      assert.equal(error.seq, 1);
      assert.deepEqual(error.output, { refund_id: "re_1", amount_cents: 500 });
      assert.equal(error.idempotencyKey, world.attempts[0]?.key);
      await assert.rejects(run.perform("find_order", OTHER), UndeliveredReportError);
      assert.equal(run.undelivered?.seq, 1);

      await run.perform("find_order", OTHER);
      assert.equal(run.undelivered, undefined);
      const log = await direct.log(run.runId);
      assert.ok(holds(log[2], "ToolCallCompleted"));
      assert.deepEqual(log[2].event.payload.output, error.output);
      assert.equal(world.attempts[1]?.seq, 3);
    });

    it(`answers the same call from its delivered report, also after flush (${mishap})`, async () => {
      const run = await open(0);
      proxy.harm("-completion", mishap);
      const error = await caught(run.perform("pay_out", ASK), UndeliveredReportError);
      await run.flush();
      await run.flush();
      assert.deepEqual(await run.perform("pay_out", ASK), error.output);
      assert.equal(world.attempts.length, 1);
      assert.equal(proxy.count("-completion"), 2);
    });

    it(`opens a call with the report before it, once, although that request came to grief (${mishap})`, async () => {
      const run = await open(2);
      proxy.harm("/steps", mishap);
      const [first, second] = await Promise.all([run.perform("pay_out", ASK), run.perform("pay_out", OTHER)]);
      assert.deepEqual(first, { refund_id: "re_1", amount_cents: 500 });
      assert.deepEqual(second, { refund_id: "re_2", amount_cents: 900 });
      assert.equal(proxy.count("/steps"), 2);
      assert.equal(proxy.count("-intent"), 1);
      assert.equal(proxy.count("-completion"), 1);
    });

    it(`executes a write that was opened ahead although the answer never came (${mishap})`, async () => {
      const run = await open(0);
      proxy.harm("/steps", mishap);
      const first = run.perform("pay_out", ASK);
      const second = run.perform("pay_out", OTHER);
      const error = await caught(first, UndeliveredReportError);
      assert.equal(error.seq, 1);
      assert.deepEqual(error.output, { refund_id: "re_1", amount_cents: 500 });
      assert.equal(error.idempotencyKey, world.attempts[0]?.key);
      await assert.rejects(second, HeldBackError);
      assert.deepEqual(await run.perform("pay_out", ASK), error.output);
      assert.deepEqual(await run.perform("pay_out", OTHER), { refund_id: "re_2", amount_cents: 900 });
      assert.deepEqual(
        world.attempts.map(({ seq }) => seq),
        [1, 3],
      );
      assert.equal(run.undelivered, undefined);
      const log = await direct.log(run.runId);
      assert.ok(holds(log[2], "ToolCallCompleted"));
      assert.deepEqual(log[2].event.payload.output, error.output);
      assert.equal(log.length, 5);
    });

    it(`observes one time although the answer to it was lost (${mishap})`, async () => {
      const run = await open(0);
      proxy.harm("/events", mishap);
      await assert.rejects(run.now(), TransportError);
      const now = await run.now();
      const log = await direct.log(run.runId);
      assert.deepEqual(
        log.slice(1).map(({ event }) => event),
        [{ kind: "NowObserved", payload: { now } }],
      );
    });
  }

  it("keeps the report that could not be delivered although somebody's correction of it is refused", async () => {
    const run = await open(0);
    proxy.harm("-completion", "request lost");
    const error = await caught(run.perform("pay_out", ASK), UndeliveredReportError);
    await assert.rejects(run.report(error.seq, { amount_cents: 500 }), CompletionRefusedError);
    assert.equal(run.undelivered?.seq, error.seq);
    assert.deepEqual(await run.perform("pay_out", ASK), error.output);
    assert.equal(world.attempts.length, 1);
  });

  it("does not execute a write that another driver opened meanwhile, although it was about to", async () => {
    const run = await open(0);
    proxy.harm("-intent", "request lost");
    await assert.rejects(run.perform("pay_out", ASK), TransportError);

    const other = await ClientRun.open(direct, toolsFor(new World()), { runId: run.runId });
    await direct.toolIntent(
      { run: run.runId, driveToken: other.driveToken },
      { seq: 1, tool: "pay_out", input: ASK },
    );

    await assert.rejects(run.perform("pay_out", ASK), InvalidDriveTokenError);
    assert.equal(world.attempts.length, 0);
  });

  it("executes a write once although two runs of one process go on under one token", async () => {
    const first = await open(0);
    proxy.harm("-intent", "request lost");
    await assert.rejects(first.perform("pay_out", ASK), TransportError);
    const second = await open(0, { runId: first.runId, driveToken: first.driveToken });
    const both = await Promise.allSettled([first.perform("pay_out", ASK), second.perform("pay_out", ASK)]);
    assert.ok(both[0].status === "rejected" && both[0].reason instanceof InvalidDriveTokenError);
    assert.equal(both[1].status, "fulfilled");
    assert.equal(world.attempts.length, 1);
  });

  it("does not execute what it opened when another run of its process took its token meanwhile", async () => {
    const first = await open(0);
    const asked = first.perform("pay_out", ASK);
    const second = open(0, { runId: first.runId, driveToken: first.driveToken });
    const ended = await Promise.allSettled([asked, second.then((run) => run.perform("pay_out", ASK))]);
    assert.ok(ended[0].status === "rejected" && ended[0].reason instanceof InvalidDriveTokenError);
    assert.ok(world.attempts.length <= 1);
    if (ended[1].status === "rejected") assert.ok(ended[1].reason instanceof NeedsReconciliationError);
  });

  it("keeps the report of a driver that was superseded while its tool ran", async () => {
    const run = await open(0);
    world.next(async ({ amount_cents }) => {
      await direct.openRun({ runId: run.runId });
      return { refund_id: "re_1", amount_cents };
    });
    const error = await caught(run.perform("pay_out", ASK), UndeliveredReportError);
    assert.ok(error.cause instanceof InvalidDriveTokenError);

    const successor = await ClientRun.open(direct, toolsFor(world), { runId: run.runId });
    await assert.rejects(successor.perform("pay_out", ASK), NeedsReconciliationError);
    await successor.report(error.seq, error.output!);
    assert.deepEqual(await successor.perform("pay_out", ASK), error.output);
    assert.equal(world.attempts.length, 1);
  });

  it("never sends a person's decision twice", async () => {
    const run = await open(0);
    await direct.toolIntent(
      { run: run.runId, driveToken: run.driveToken },
      { seq: 1, tool: "pay_out", input: ASK },
    );
    const client = new SalvorClient({ url: proxy.url, retries: 3 });
    proxy.harm("/resolve", "answer lost", 5);
    const output = { refund_id: "re_1", amount_cents: 500 };
    await assert.rejects(client.resolve(run.runId, { seq: 1, output }), TransportError);
    assert.equal(proxy.count("/resolve"), 1);
    assert.equal((await client.run(run.runId)).pending, null);
    proxy.harm("/abandon", "request lost", 5);
    await assert.rejects(client.abandon(run.runId), TransportError);
    assert.equal(proxy.count("/abandon"), 1);
  });

  it("does not send an open again that carries no run id", async () => {
    const client = new SalvorClient({ url: proxy.url, retries: 3 });
    proxy.harm("/client-runs", "answer lost", 5);
    await assert.rejects(client.openRun(), TransportError);
    assert.equal(proxy.count("/client-runs"), 1);
  });

  it("goes on under the token it held after the server was stopped and started again", async () => {
    const home = await TestServer.start(ALL);
    const line = await CuttingProxy.start(() => home.port);
    try {
      const client = new SalvorClient({ url: line.url, retries: 0 });
      const run = await ClientRun.open(client, toolsFor(world), START);
      world.next(async ({ amount_cents }) => {
        await home.stop();
        await home.resume();
        return { refund_id: "re_1", amount_cents };
      });
      // The connection that the report would have used is gone: a driver that may retry does not even notice.
      const output = await run.perform("pay_out", ASK).catch(async (error: unknown) => {
        assert.ok(error instanceof UndeliveredReportError);
        return run.perform("pay_out", ASK);
      });
      assert.deepEqual(output, { refund_id: "re_1", amount_cents: 500 });
      assert.equal(world.attempts.length, 1);

      await home.stop();
      await home.resume();
      const held = { ...START, runId: run.runId, driveToken: run.driveToken };
      const later = await ClientRun.open(client, toolsFor(world), held);
      assert.deepEqual(await later.perform("pay_out", ASK), output);
      await later.perform("pay_out", OTHER);
      assert.equal(world.attempts.length, 2);
    } finally {
      await line.close();
      await home.remove();
    }
  });

  it("does not execute a write again although the server was set back to before it", async () => {
    const home = await TestServer.start(ALL);
    const line = await CuttingProxy.start(() => home.port);
    try {
      const client = new SalvorClient({ url: line.url, retries: 0 });
      const run = await ClientRun.open(client, toolsFor(world), START);
      await home.stop();
      await home.backUp();
      await home.resume();
      world.next(() => {
        throw new Error("connection reset");
      });
      const asked = () => run.perform("pay_out", ASK);
      await assert.rejects(untilAnswered(asked), { name: "UnknownOutcomeError" });
      await home.stop();
      await home.restore();
      await home.resume();
      const error = await caught(untilAnswered(asked), NeedsReconciliationError);
      assert.equal(error.intent?.idempotency_key, world.attempts[0]?.key);
      assert.equal(world.attempts.length, 1);
    } finally {
      await line.close();
      await home.remove();
    }
  });

  it("performs every call once, in order, whatever is cut and whenever it starts over", async () => {
    const calls = [
      ["pay_out", ASK],
      ["refund_card", ASK],
      ["find_order", OTHER],
      ["refund_card", OTHER],
      ["pay_out", ASK],
    ] as const;
    const mishap = fc.record({
      path: fc.constantFrom("-intent", "-completion", "/events", "/log?from_seq=1", "/client-runs"),
      mishap: fc.constantFrom(...MISHAPS),
      times: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(mishap, { maxLength: 6 }), fc.boolean(), async (mishaps, startOver) => {
        const mine = new World();
        const line = await CuttingProxy.start(() => server.port);
        try {
          const runId = crypto.randomUUID();
          const client = new SalvorClient({ url: line.url, retries: 0 });
          for (const { path, mishap: what, times } of mishaps) line.harm(path, what, times);
          const drive = () => ClientRun.open(client, toolsFor(mine), { ...START, runId });
          let run = await untilAnswered(drive);
          const outputs: JsonValue[] = [];
          for (const [tool, input] of calls) {
            outputs.push(await untilAnswered(() => run.perform(tool, input)));
            if (startOver) {
              run = await untilAnswered(drive);
              for (const [at, [recordedTool, recordedInput]] of calls.slice(0, outputs.length).entries()) {
                assert.deepEqual(await run.perform(recordedTool, recordedInput), outputs[at]);
              }
            }
          }
          const writes = mine.attempts.filter(({ tool }) => tool !== "find_order");
          assert.deepEqual(
            writes.map(({ tool, input, seq }) => [tool, input, seq]),
            [
              ["pay_out", ASK, 1],
              ["refund_card", ASK, 3],
              ["refund_card", OTHER, 7],
              ["pay_out", ASK, 9],
            ],
          );
          const recorded = (await direct.log(runId)).flatMap(({ event }) =>
            event.kind === "ToolCallCompleted" ? [event.payload.output] : [],
          );
          assert.deepEqual(recorded, outputs);
        } finally {
          await line.close();
        }
      }),
      { numRuns: 25 },
    );
  });

  it("performs calls that wait for each other once, in order, whatever becomes of the requests that join them", async () => {
    const tool = fc.constantFrom("pay_out", "refund_card", "find_order", "reserve");
    const script = fc.record({
      tools: fc.array(tool, { minLength: 2, maxLength: 7 }),
      mishaps: fc.array(fc.constantFrom(...MISHAPS), { maxLength: 4 }),
      retries: fc.constantFrom(0, 0, 0, 1),
    });
    await fc.assert(
      fc.asyncProperty(script, async ({ tools, mishaps, retries }) => {
        const calls = tools.map((name, at) => [name, { ...ASK, order_id: `o-${at}` }] as const);
        const mine = new World();
        const line = await CuttingProxy.start(() => server.port);
        try {
          const runId = crypto.randomUUID();
          const client = new SalvorClient({ url: line.url, retries });
          const run = await ClientRun.open(client, toolsFor(mine), { ...START, runId });
          for (const mishap of mishaps) line.harm("/steps", mishap);
          const outputs: JsonValue[] = [];
          while (outputs.length < calls.length) {
            const rest = calls.slice(outputs.length);
            const ended = await Promise.allSettled(rest.map(([name, input]) => run.perform(name, input)));
            const lost = ended.findIndex(({ status }) => status === "rejected");
            for (const end of lost < 0 ? [] : ended.slice(lost + 1)) {
              assert.ok(end.status === "rejected" && end.reason instanceof HeldBackError);
            }
            for (const end of ended) if (end.status === "fulfilled") outputs.push(end.value);
          }

          const performed = calls.map(([name, input], at) => [name, input, 1 + 2 * at]);
          assert.deepEqual(
            mine.attempts.map((attempt) => [attempt.tool, attempt.input, attempt.seq]),
            performed,
          );
          const log = await direct.log(runId);
          assert.equal(log.length, 1 + 2 * calls.length);
          const later = await ClientRun.open(direct, toolsFor(mine), { runId });
          for (const [at, [name, input]] of calls.entries()) {
            assert.deepEqual(await later.perform(name, input), outputs[at]);
          }
          assert.equal(mine.attempts.length, performed.length);
        } finally {
          await line.close();
        }
      }),
      { numRuns: process.env.SALVOR_SOAK === undefined ? 25 : 1000 },
    );
  });
});

/** Does something again while its answer is lost. */
async function untilAnswered<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const lost = error instanceof TransportError || error instanceof UndeliveredReportError;
      if (!lost || attempt >= 30) throw error;
    }
  }
}
