import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import {
  BadRequestError,
  ClientRun,
  CompletionRefusedError,
  HeldBackError,
  NeedsReconciliationError,
  SalvorClient,
  SuspendedError,
  ToolFailedError,
} from "#salvor/client/index.js";
import { HandlerError } from "#salvor/contract/handler-errors.js";
import { suspend } from "#salvor/contract/tool-outcome.js";
import { envelopeOf } from "#salvor/log/events.js";
import { caught } from "./support/caught.js";
import { CuttingProxy } from "./support/proxy.js";
import { TestServer } from "./support/server.js";
import { ALL, World, toolsFor } from "./support/tools.js";

const START = { agentDefHash: "desk-1", input: null };
const ASK = { order_id: "o-1", amount_cents: 500 };
const OTHER = { order_id: "o-2", amount_cents: 900 };
const PAID = { refund_id: "re_1", amount_cents: 500 };

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

function open(): Promise<ClientRun> {
  return ClientRun.open(new SalvorClient({ url: proxy.url, retries: 0 }), toolsFor(world), START);
}

/** The requests with which calls were opened and closed, in their order. */
function sent(): readonly string[] {
  return proxy.requests.flatMap((line) => /\/(client-tool-\w+|steps)$/.exec(line)?.slice(1) ?? []);
}

async function kinds(run: ClientRun): Promise<readonly string[]> {
  return (await direct.log(run.runId)).map(({ event }) => event.kind);
}

describe("SalvorClient.steps", () => {
  it("answers each step as its own method does", async () => {
    const { run, drive_token: driveToken } = await direct.openRun();
    const drive = { run, driveToken };
    const started = envelopeOf(run, 0, "", {
      kind: "RunStarted",
      payload: { agent_def_hash: "t", input: null },
    });
    const random = envelopeOf(run, 1, "", { kind: "RandomObserved", payload: { value: 2n ** 64n - 1n } });
    const opening = [
      { event: started },
      { event: random },
      { modelIntent: { seq: 2, requestHash: "sha256:r" } },
    ] as const;
    const [first, second, asked] = await direct.steps(drive, opening);
    assert.deepEqual([first, second, asked], [[0], [1], { seq: 2, settled: false }]);
    const reply = { response: { text: "hi" }, usage: { input_tokens: 1, output_tokens: 2 } };
    const [answered, opened] = await direct.steps(drive, [
      { modelCompletion: { seq: 2, ...reply } },
      { toolIntent: { seq: 4, tool: "pay_out", input: ASK } },
    ]);
    assert.equal(answered, 2);
    assert.deepEqual([opened.seq, opened.effect, opened.settled], [4, "write", false]);
    const [completed] = await direct.steps(drive, [{ toolCompletion: { seq: 4, report: { output: PAID } } }]);
    assert.equal(completed, 4);
    assert.deepEqual((await direct.log(run, 1))[0]?.event, random.event);
  });

  it("says which step was refused", async () => {
    const { run, drive_token: driveToken } = await direct.openRun();
    const started = envelopeOf(run, 0, "", {
      kind: "RunStarted",
      payload: { agent_def_hash: "t", input: null },
    });
    const steps = [{ event: started }, { toolIntent: { seq: 1, tool: "pay_out", input: {} } }] as const;
    const error = await caught(direct.steps({ run, driveToken }, steps), BadRequestError);
    assert.equal(error.details?.step, 1);
    assert.deepEqual(await direct.log(run), []);
  });
});

describe("calls that wait for each other", () => {
  it("are closed and opened in one request, and answered as each is acknowledged", async () => {
    const run = await open();
    const answers: string[] = [];
    const asks = ["pay_out", "find_order", "reserve", "refund_card"].map(async (tool, at) => {
      const output = await run.perform(tool, { order_id: tool, amount_cents: at + 1 });
      answers.push(tool);
      assert.deepEqual(output, { refund_id: `re_${at + 1}`, amount_cents: at + 1 });
    });
    await Promise.all(asks);
    assert.deepEqual(sent(), ["client-tool-intent", "steps", "steps", "steps", "client-tool-completion"]);
    assert.deepEqual(answers, ["pay_out", "find_order", "reserve", "refund_card"]);
    assert.deepEqual(
      world.attempts.map(({ seq }) => seq),
      [1, 3, 5, 7],
    );
  });

  it("are opened one by one when each waits for the output before it", async () => {
    const run = await open();
    await run.perform("find_order", ASK);
    await run.perform("find_order", OTHER);
    assert.deepEqual(sent(), [
      "client-tool-intent",
      "client-tool-completion",
      "client-tool-intent",
      "client-tool-completion",
    ]);
  });

  it("never hold a report back: it is recorded before the next tool begins", async () => {
    const run = await open();
    world.next(
      () => PAID,
      async () => {
        assert.deepEqual((await kinds(run)).slice(1), [
          "ToolCallRequested",
          "ToolCallCompleted",
          "ToolCallRequested",
        ]);
        return { refund_id: "re_2", amount_cents: 900 };
      },
    );
    await Promise.all([run.perform("pay_out", ASK), run.perform("pay_out", OTHER)]);
    assert.equal(world.attempts.length, 2);
  });

  it("are delivered alone when the next one may not be opened, which is told to the next one", async () => {
    const run = await open();
    const [first, second, third] = await Promise.allSettled([
      run.perform("pay_out", ASK),
      run.perform("pay_out", { order_id: 1 }),
      run.perform("pay_out", OTHER),
    ]);
    assert.deepEqual([first.status, second.status, third.status], ["fulfilled", "rejected", "fulfilled"]);
    assert.ok(second.status === "rejected" && second.reason instanceof BadRequestError);
    assert.deepEqual(
      world.attempts.map(({ seq }) => seq),
      [1, 3],
    );
    assert.deepEqual(sent().slice(0, 3), ["client-tool-intent", "steps", "client-tool-completion"]);
  });

  it("keep a refused report for the person who settles it, and open nothing behind it", async () => {
    const run = await open();
    const first = run.perform("wire_out", ASK);
    const second = run.perform("find_order", OTHER);
    const error = await caught(first, CompletionRefusedError);
    assert.equal(error.status, 403);
    assert.equal(error.idempotencyKey, world.attempts[0]?.key);
    await assert.rejects(second, HeldBackError);
    await assert.rejects(run.perform("find_order", OTHER), NeedsReconciliationError);
    const { refused_reports, pending } = await direct.run(run.runId);
    assert.equal(refused_reports?.length, 1);
    assert.equal(pending?.seq, 1);
  });

  it("go on behind a failure, and wait behind a suspension", async () => {
    const run = await open();
    world.next(
      () => {
        throw new HandlerError("declined");
      },
      () => PAID,
      () => suspend("ask a person", { type: "object" }),
    );
    const [failed, paid, suspended, behind] = await Promise.allSettled([
      run.perform("pay_out", ASK),
      run.perform("pay_out", ASK),
      run.perform("pay_out", OTHER),
      run.perform("find_order", ASK),
    ]);
    assert.ok(failed.status === "rejected" && failed.reason instanceof ToolFailedError);
    assert.deepEqual(paid.status === "fulfilled" && paid.value, PAID);
    assert.ok(suspended.status === "rejected" && suspended.reason instanceof SuspendedError);
    assert.ok(behind.status === "rejected" && behind.reason instanceof HeldBackError);
    assert.deepEqual(sent(), ["client-tool-intent", "steps", "steps", "client-tool-completion"]);
  });

  it("answer the same content from the call before it, which the same request closes", async () => {
    const run = await open();
    const [first, second] = await Promise.all([
      run.perform("refund_card", ASK),
      run.perform("refund_card", ASK),
    ]);
    assert.deepEqual(second, first);
    assert.equal(world.attempts.length, 1);
    await run.perform("find_order", OTHER);
    assert.equal(world.attempts[1]?.seq, 5);
  });

  it("are not opened ahead when their caller has given up", async () => {
    const run = await open();
    const gone = new AbortController();
    world.next(() => {
      gone.abort(new Error("gone"));
      return PAID;
    });
    const first = run.perform("pay_out", ASK);
    const second = run.perform("pay_out", OTHER, { signal: gone.signal });
    assert.deepEqual(await first, PAID);
    await assert.rejects(second, { message: "gone" });
    assert.deepEqual(await kinds(run), ["RunStarted", "ToolCallRequested", "ToolCallCompleted"]);
    await run.perform("pay_out", OTHER);
    assert.equal(world.attempts[1]?.seq, 3);
  });

  it("are performed later by the run that opened them, when their caller gave up meanwhile", async () => {
    const run = await open();
    const gone = new AbortController();
    const first = run.perform("pay_out", ASK).then(() => {
      gone.abort(new Error("gone"));
    });
    const second = run.perform("pay_out", OTHER, { signal: gone.signal });
    await first;
    const refused = await second.then(
      () => false,
      () => true,
    );
    if (refused) await run.perform("pay_out", OTHER);
    assert.deepEqual(
      world.attempts.map(({ tool, seq }) => [tool, seq]),
      [
        ["pay_out", 1],
        ["pay_out", 3],
      ],
    );
  });
});
