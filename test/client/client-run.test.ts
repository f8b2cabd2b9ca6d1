import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import {
  ClientRun,
  CompletionRefusedError,
  DivergenceError,
  NeedsReconciliationError,
  OutputRefusedError,
  RunEndedError,
  SalvorClient,
  SuspendedError,
  ToolFailedError,
  UnknownOutcomeError,
  UnregisteredToolError,
  type OpenOptions,
} from "#salvor/client/index.js";
import { HandlerError } from "#salvor/contract/handler-errors.js";
import { suspend } from "#salvor/contract/tool-outcome.js";
import { contentKey, attemptKey } from "#salvor/log/keys.js";
import { holds } from "#salvor/log/events.js";
import { ToolSet } from "#salvor/contract/tool-set.js";
import { createValidator } from "#salvor/schema/index.js";
import { caught } from "./support/caught.js";
import { TestServer } from "./support/server.js";
import { ALL, NOTHING_GENERATED, OWN, PayOut, World, toolsFor } from "./support/tools.js";

const START = { agentDefHash: "desk-1", input: { ticket: 7 } };
const ASK = { order_id: "o-1", amount_cents: 500 };
const OTHER = { order_id: "o-2", amount_cents: 900 };

describe("ClientRun", () => {
  let server: TestServer;
  let client: SalvorClient;
  let world: World;

  before(async () => {
    server = await TestServer.start(ALL);
    client = new SalvorClient({ url: server.url });
  });
  after(() => server.remove());
  beforeEach(() => {
    world = new World();
  });

  const open = (options: OpenOptions = START) => ClientRun.open(client, toolsFor(world), options);
  const kinds = async (run: ClientRun) => (await client.log(run.runId)).map(({ event }) => event.kind);
  const goOn = (run: ClientRun) => open({ runId: run.runId });

  describe("perform", () => {
    it("records the start, the intent and the completion, in this order", async () => {
      const run = await open({ ...START, labels: { desk: "north" } });
      const output = await run.perform("refund_card", ASK);
      assert.deepEqual(output, { refund_id: "re_1", amount_cents: 500 });
      await run.complete({ done: true });
      assert.deepEqual(await kinds(run), [
        "RunStarted",
        "ToolCallRequested",
        "ToolCallCompleted",
        "RunCompleted",
      ]);
      const [started] = await client.log(run.runId);
      assert.deepEqual(started?.event.payload, {
        agent_def_hash: "desk-1",
        input: { ticket: 7 },
        labels: { desk: "north" },
      });
    });

    it("hands the tool the key that the operator's declaration derives, and where it stands", async () => {
      const run = await open();
      await run.perform("refund_card", ASK);
      await run.perform("pay_out", ASK);
      assert.deepEqual(
        world.attempts.map(({ key, seq, attempt }) => ({ key, seq, attempt })),
        [
          {
            key: contentKey(run.runId, "refund_card", ["order_id", "amount_cents"], ASK),
            seq: 1,
            attempt: 1,
          },
          { key: attemptKey(run.runId, 3, "pay_out"), seq: 3, attempt: 1 },
        ],
      );
    });

    it("makes concurrent calls one after another, in call order", async () => {
      const run = await open();
      const inputs = [1, 2, 3, 4].map((n) => ({ order_id: `o-${n}`, amount_cents: n }));
      const outputs = await Promise.all(inputs.map((input) => run.perform("pay_out", input)));
      assert.deepEqual(
        outputs,
        inputs.map(({ amount_cents }, at) => ({ refund_id: `re_${at + 1}`, amount_cents })),
      );
      assert.deepEqual(
        world.attempts.map(({ seq }) => seq),
        [1, 3, 5, 7],
      );
    });

    it("takes the input as it was when it was called", async () => {
      const run = await open();
      const input = { order_id: "o-1", amount_cents: 500 };
      const performed = run.perform("pay_out", input);
      input.amount_cents = 999_999;
      assert.deepEqual(await performed, { refund_id: "re_1", amount_cents: 500 });
      assert.deepEqual(world.attempts[0]?.input, ASK);
    });

    it("answers the same refund asked for twice from the first, without executing it again", async () => {
      const run = await open();
      const first = await run.perform("refund_card", ASK);
      const second = await run.perform("refund_card", ASK);
      assert.deepEqual(second, first);
      assert.equal(world.attempts.length, 1);
      await run.perform("refund_card", OTHER);
      assert.equal(run.position, 7);
    });

    it("refuses a tool that is not registered, naming those that are", async () => {
      const run = await open();
      const error = await caught(run.perform("refund_crad", ASK), UnregisteredToolError);
      assert.match(error.message, /refund_crad.*refund_card/);
    });

    it("refuses a tool that was registered after the run was opened: nobody compared it", async () => {
      const tools = new ToolSet(NOTHING_GENERATED, { validator: createValidator() });
      const run = await ClientRun.open(client, tools, START);
      tools.register(new PayOut(world), OWN);
      await assert.rejects(run.perform("pay_out", ASK), UnregisteredToolError);
      assert.equal(world.attempts.length, 0);
    });

    it("lets the server refuse an input, and goes on at the same position", async () => {
      const run = await open();
      await assert.rejects(run.perform("pay_out", { order_id: "o-1", amount_cents: "500" }), {
        name: "BadRequestError",
        message: /input_schema/,
      });
      assert.deepEqual(await kinds(run), ["RunStarted"]);
      await run.perform("pay_out", ASK);
      assert.equal(world.attempts[0]?.seq, 1);
    });

    it("refuses an input that JSON would change, naming the place", async () => {
      const run = await open();
      await assert.rejects(run.perform("pay_out", { order_id: "o-1", amount_cents: NaN }), {
        code: "not_json",
        message: /pay_out.*\$\.amount_cents.*NaN/,
      });
    });
  });

  describe("when a run goes on", () => {
    it("answers the calls that are recorded, and executes nothing", async () => {
      const first = await open();
      const outputs = [await first.perform("refund_card", ASK), await first.perform("find_order", OTHER)];
      const second = await goOn(first);
      assert.deepEqual(
        [await second.perform("refund_card", ASK), await second.perform("find_order", OTHER)],
        outputs,
      );
      assert.equal(world.attempts.length, 2);
      await second.perform("pay_out", ASK);
      assert.equal(world.attempts[2]?.seq, 5);
    });

    it("refuses a call that differs, naming the position, what is recorded and what was asked", async () => {
      const first = await open();
      await first.perform("pay_out", ASK);
      const second = await goOn(first);
      const error = await caught(second.perform("pay_out", OTHER), DivergenceError);
      assert.equal(error.position, 1);
      assert.deepEqual(error.asked, { tool: "pay_out", input: OTHER });
      assert.match(error.message, /position 1 .*o-1.*o-2/);
      assert.equal(world.attempts.length, 1);
    });

    it("does not execute a write that was opened and never reported", async () => {
      const run = await open();
      await client.toolIntent(
        { run: run.runId, driveToken: run.driveToken },
        { seq: 1, tool: "pay_out", input: ASK },
      );
      for (const options of [{ runId: run.runId }, { runId: run.runId, driveToken: run.driveToken }]) {
        const again = await ClientRun.open(client, toolsFor(world), options);
        const error = await caught(again.perform("pay_out", ASK), NeedsReconciliationError);
        assert.equal(error.intent?.seq, 1);
        assert.equal(error.intent.idempotency_key, attemptKey(run.runId, 1, "pay_out"));
        await assert.rejects(again.perform("pay_out", ASK), NeedsReconciliationError);
      }
      assert.equal(world.attempts.length, 0);
    });

    it("answers what a person settled an open write with", async () => {
      const run = await open();
      await client.toolIntent(
        { run: run.runId, driveToken: run.driveToken },
        { seq: 1, tool: "pay_out", input: ASK },
      );
      const again = await goOn(run);
      await assert.rejects(again.perform("pay_out", ASK), NeedsReconciliationError);
      const output = { refund_id: "from the ledger", amount_cents: 500 };
      await client.resolve(run.runId, { seq: 1, output });
      assert.deepEqual(await again.perform("pay_out", ASK), output);
      assert.equal(world.attempts.length, 0);
    });

    for (const tool of ["find_order", "reserve"]) {
      it(`executes an open call of ${tool} again, under the recorded key`, async () => {
        const run = await open();
        const drive = { run: run.runId, driveToken: run.driveToken };
        const { idempotency_key } = await client.toolIntent(drive, { seq: 1, tool, input: ASK });
        const again = await goOn(run);
        assert.deepEqual(await again.perform(tool, ASK), { refund_id: "re_1", amount_cents: 500 });
        assert.equal(world.attempts[0]?.key, idempotency_key);
      });
    }

    it("refuses another input or another version of the program", async () => {
      const run = await open();
      await assert.rejects(open({ ...START, runId: run.runId, input: { ticket: 8 } }), {
        name: "DivergenceError",
        message: /input \{"ticket":7\}, not \{"ticket":8\}/,
      });
      await assert.rejects(open({ ...START, runId: run.runId, agentDefHash: "desk-2" }), {
        name: "DivergenceError",
        message: /desk-1, not desk-2/,
      });
    });

    it("does not take a drive token without the run that it drives", async () => {
      await assert.rejects(open({ ...START, driveToken: "dt_0" }), { name: "TypeError", message: /runId/ });
    });

    it("says what is missing when the run has no event yet", async () => {
      await assert.rejects(open({}), { name: "RunNotStartedError", message: /agentDefHash/ });
    });

    it("observes the same time and the same random number again, to the last digit", async () => {
      const first = await open();
      const observed = [await first.now(), await first.random(), await first.random()];
      const second = await goOn(first);
      assert.deepEqual([await second.now(), await second.random(), await second.random()], observed);
      assert.equal(typeof observed[1], "bigint");
      await assert.rejects(
        goOn(first).then((third) => third.random()),
        DivergenceError,
      );
    });

    it("ends once, and says so to whoever asks for more", async () => {
      const run = await open();
      await run.fail("out of funds");
      await assert.rejects(run.perform("pay_out", ASK), RunEndedError);
      const again = await goOn(run);
      const error = await caught(again.perform("pay_out", ASK), RunEndedError);
      assert.deepEqual(error.runStatus, { state: "failed", error: "out of funds" });
      await again.fail("out of funds");
      await assert.rejects(
        goOn(run).then((third) => third.complete(null)),
        RunEndedError,
      );
    });
  });

  describe("when a tool fails", () => {
    it("tries a read three times, then records the failure with its whole cause chain", async () => {
      const run = await open();
      const broken = () => {
        throw new Error("no route", { cause: new Error("cable cut") });
      };
      world.next(broken, broken, broken);
      const error = await caught(run.perform("find_order", ASK), ToolFailedError);
      assert.deepEqual(
        world.attempts.map(({ attempt }) => attempt),
        [1, 2, 3],
      );
      assert.equal(error.kind, "handler");
      assert.equal(error.reason, "no route; caused by: cable cut");
      const again = await goOn(run);
      await assert.rejects(again.perform("find_order", ASK), {
        name: "ToolFailedError",
        reason: error.reason,
      });
      assert.equal(world.attempts.length, 3);
    });

    it("tries an idempotent call again under the same key", async () => {
      const run = await open();
      world.next(() => {
        throw new Error("reset");
      });
      await run.perform("reserve", ASK);
      const [first, second] = world.attempts;
      assert.equal(first?.key, second?.key);
      assert.equal(second?.attempt, 2);
    });

    it("records a definite failure of a write, never retries it, and lets it be asked for again under its key", async () => {
      const run = await open();
      world.next(() => {
        throw new HandlerError("card expired");
      });
      const error = await caught(run.perform("refund_card", ASK), ToolFailedError);
      assert.equal(error.reason, "card expired");
      assert.equal(world.attempts.length, 1);
      await run.perform("refund_card", ASK);
      assert.equal(world.attempts[0]?.key, world.attempts[1]?.key);
      assert.equal(world.attempts[1]?.seq, 3);
    });

    it("reports nothing of a write that threw anything else, and does not execute it again", async () => {
      const run = await open();
      const reset = new Error("connection reset");
      world.next(() => {
        throw reset;
      });
      const error = await caught(run.perform("pay_out", ASK), UnknownOutcomeError);
      assert.equal(error.seq, 1);
      assert.equal(error.idempotencyKey, attemptKey(run.runId, 1, "pay_out"));
      assert.equal(error.cause, reset);
      assert.deepEqual(await kinds(run), ["RunStarted", "ToolCallRequested"]);
      await assert.rejects(run.perform("pay_out", ASK), NeedsReconciliationError);
      await assert.rejects(run.perform("pay_out", OTHER), NeedsReconciliationError);
      await assert.rejects(run.complete(null), NeedsReconciliationError);
      assert.equal(world.attempts.length, 1);
    });

    it("tells a failure that a person recorded from one of the tool", async () => {
      const run = await open();
      world.next(() => {
        throw new Error("connection reset");
      });
      await assert.rejects(run.perform("pay_out", ASK), UnknownOutcomeError);
      await client.resolve(run.runId, { seq: 1, not_performed: true, note: "not in the ledger" });
      const error = await caught(run.perform("pay_out", ASK), ToolFailedError);
      assert.equal(error.attempts, 0);
      assert.equal(error.reason, "not in the ledger");
      await run.perform("pay_out", ASK);
      assert.equal(world.attempts[1]?.seq, 3);
    });

    it("goes on with another call once a person has settled the open one", async () => {
      const run = await open();
      world.next(() => {
        throw new Error("connection reset");
      });
      await assert.rejects(run.perform("pay_out", ASK), UnknownOutcomeError);
      await assert.rejects(run.perform("pay_out", OTHER), NeedsReconciliationError);
      await assert.rejects(run.now(), NeedsReconciliationError);
      await client.resolve(run.runId, { seq: 1, output: { refund_id: "found", amount_cents: 500 } });
      await run.now();
      await run.perform("pay_out", OTHER);
      assert.deepEqual(
        world.attempts.map(({ seq }) => seq),
        [1, 4],
      );
    });

    it("gives up a write that takes too long as an unknown outcome", async () => {
      const tools = toolsFor(world, 20);
      const run = await ClientRun.open(client, tools, START);
      let aborted: unknown;
      world.next(
        (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => {
              aborted = signal.reason;
              reject(new Error("gave up"));
            });
          }),
      );
      await assert.rejects(run.perform("pay_out", ASK), { name: "UnknownOutcomeError" });
      assert.match(String(aborted), /pay_out took longer than 20 ms/);
      await assert.rejects(run.perform("pay_out", ASK), NeedsReconciliationError);
    });

    it("does not wait for ever for a tool that does not heed its signal", async () => {
      const run = await ClientRun.open(client, toolsFor(world, 20), START);
      world.next(() => new Promise(() => undefined));
      const error = await caught(run.perform("pay_out", ASK), UnknownOutcomeError);
      assert.match(error.message, /took longer than 20 ms/);
    });

    it("reports what a tool that was given up came to after all", async () => {
      const run = await ClientRun.open(client, toolsFor(world, 20), START);
      world.next(
        ({ amount_cents }, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => {
              resolve({ refund_id: "late", amount_cents });
            });
          }),
      );
      assert.deepEqual(await run.perform("pay_out", ASK), { refund_id: "late", amount_cents: 500 });
    });
  });

  describe("when an output is not what was declared", () => {
    it("does not report a write's output without the provider's id, and takes the corrected one under the same key", async () => {
      const run = await open();
      world.next(({ amount_cents }) => ({ amount_cents }));
      const error = await caught(run.perform("refund_card", ASK), OutputRefusedError);
      assert.match(error.message, /refund_id/);
      assert.equal(error.seq, 1);
      assert.equal((await client.run(run.runId)).refused_reports, undefined);
      await run.report(error.seq, { refund_id: "re_9", amount_cents: 500 });
      assert.deepEqual(await run.perform("refund_card", ASK), { refund_id: "re_9", amount_cents: 500 });
      assert.equal(world.attempts.length, 1);
      await run.perform("refund_card", OTHER);
      assert.equal(world.attempts[1]?.seq, 3);
    });

    it("does not report another amount than was asked for, and refuses to report it by hand", async () => {
      const run = await open();
      world.next(() => ({ refund_id: "re_1", amount_cents: 50_000 }));
      const error = await caught(run.perform("refund_card", ASK), OutputRefusedError);
      assert.deepEqual(error.output, { refund_id: "re_1", amount_cents: 50_000 });
      assert.match(error.message, /require_equal: the input has 500, the output has 50000/);
      await assert.rejects(
        run.report(error.seq, { refund_id: "re_1", amount_cents: 50_000 }),
        OutputRefusedError,
      );
      assert.equal((await client.run(run.runId)).refused_reports, undefined);
      assert.deepEqual(await kinds(run), ["RunStarted", "ToolCallRequested"]);
    });

    it("goes on behind a corrected call without asking for it again", async () => {
      const run = await open();
      world.next(() => ({ refund_id: 9 }));
      const error = await caught(run.perform("pay_out", ASK), OutputRefusedError);
      await run.report(error.seq, { refund_id: "re_9", amount_cents: 500 });
      await run.perform("pay_out", OTHER);
      assert.equal(world.attempts[1]?.seq, 3);
    });

    it("lets another process report what it found out about an open write", async () => {
      const run = await open();
      await client.toolIntent(
        { run: run.runId, driveToken: run.driveToken },
        { seq: 1, tool: "pay_out", input: ASK },
      );
      const again = await goOn(run);
      await again.report(1, { refund_id: "re_7", amount_cents: 500 });
      assert.deepEqual(await again.perform("pay_out", ASK), { refund_id: "re_7", amount_cents: 500 });
      await assert.rejects(again.report(3, null), { name: "WrongStateError" });
    });

    it("records a read's output that cannot be recorded as a failure", async () => {
      const run = await open();
      world.next(() => ({ refund_id: 9n }));
      const error = await caught(run.perform("find_order", ASK), ToolFailedError);
      assert.equal(error.kind, "output_serialization");
      assert.equal(world.attempts.length, 1);
      world.next(() => ({ refund_id: "x", amount_cents: 1 }));
      const pinned = await caught(run.perform("reserve", ASK), ToolFailedError);
      assert.match(pinned.reason, /require_equal/);
    });
  });

  describe("when only a person may close a call", () => {
    it("executes, reports, and says what was refused; then answers what the person recorded", async () => {
      const run = await open();
      const error = await caught(run.perform("wire_out", ASK), CompletionRefusedError);
      assert.equal(error.code, "client_completion_refused");
      assert.equal(error.seq, 1);
      assert.equal(error.idempotencyKey, attemptKey(run.runId, 1, "wire_out"));
      assert.deepEqual(error.output, { refund_id: "re_1", amount_cents: 500 });
      assert.match(error.message, /trust_completion = false.*\/v1\/runs\/.*\/resolve/);
      await assert.rejects(run.perform("wire_out", ASK), NeedsReconciliationError);
      const [refused] = (await client.run(run.runId)).refused_reports ?? [];
      assert.deepEqual(refused?.output, error.output);
      await client.resolve(run.runId, { seq: 1, output: error.output, operator: "ops" });
      assert.deepEqual(await run.perform("wire_out", ASK), error.output);
      assert.equal(world.attempts.length, 1);
    });
  });

  describe("when a call is suspended", () => {
    it("waits for a person, whose input becomes its result; it is not executed again", async () => {
      const run = await open();
      world.next(() => suspend("over 400: may it be paid?", { type: "object" }));
      const error = await caught(run.perform("pay_out", ASK), SuspendedError);
      assert.equal(error.reason, "over 400: may it be paid?");
      assert.deepEqual(error.inputSchema, { type: "object" });
      await assert.rejects(run.perform("pay_out", ASK), SuspendedError);
      await assert.rejects(run.perform("pay_out", OTHER), SuspendedError);
      const again = await ClientRun.open(client, toolsFor(world), {
        runId: run.runId,
        driveToken: run.driveToken,
      });
      await assert.rejects(again.perform("pay_out", ASK), SuspendedError);

      const decision = { seq: error.suspendedAt, input: { approved: true } };
      await assert.rejects(client.resume(run.runId, { ...decision, input: "yes" }), {
        name: "BadRequestError",
      });
      await assert.rejects(client.resume(run.runId, { ...decision, seq: 1 }), { name: "WrongStateError" });
      const { outcome, status } = await client.resume(run.runId, decision);
      assert.deepEqual([outcome, status.state], ["resumed", "running"]);
      assert.deepEqual(await run.perform("pay_out", ASK), { approved: true });
      assert.deepEqual(await again.perform("pay_out", ASK), { approved: true });
      assert.equal(world.attempts.length, 1);
      await again.perform("pay_out", OTHER);
      assert.equal(world.attempts[1]?.seq, 5);
    });
  });

  describe("when somebody else decides meanwhile", () => {
    it("says that a person settled the call differently while it ran", async () => {
      const run = await open();
      const settled = { refund_id: "by hand", amount_cents: 500 };
      world.next(async ({ amount_cents }) => {
        await client.resolve(run.runId, { seq: 1, output: settled });
        return { refund_id: "re_1", amount_cents };
      });
      const error = await caught(run.perform("pay_out", ASK), DivergenceError);
      assert.deepEqual(error.asked, { output: { refund_id: "re_1", amount_cents: 500 } });
      assert.deepEqual((error.recorded as { payload: unknown }).payload, { seq: 1, output: settled });
      assert.deepEqual(await run.perform("pay_out", ASK), settled);
      assert.equal(world.attempts.length, 1);
    });

    it("says that the run was abandoned while a call ran", async () => {
      const run = await open();
      world.next(async ({ amount_cents }) => {
        await client.abandon(run.runId, { seq: 1, reason: "gone" });
        return { refund_id: "re_1", amount_cents };
      });
      const error = await caught(run.perform("pay_out", ASK), DivergenceError);
      assert.deepEqual(error.asked, { output: { refund_id: "re_1", amount_cents: 500 } });
      await assert.rejects(run.perform("pay_out", ASK), RunEndedError);
      await assert.rejects(run.perform("pay_out", OTHER), RunEndedError);
    });
  });

  describe("a caller's signal", () => {
    it("ends a call that waits for its turn without recording it", async () => {
      const run = await open();
      const stop = new AbortController();
      world.next(({ amount_cents }) => {
        stop.abort(new Error("enough"));
        return { refund_id: "re_1", amount_cents };
      });
      const first = run.perform("pay_out", ASK);
      const second = run.perform("pay_out", OTHER, { signal: stop.signal });
      await assert.rejects(second, /enough/);
      await first;
      assert.equal((await kinds(run)).length, 3);
    });

    it("does not keep what happened from being reported", async () => {
      const run = await open();
      const stop = new AbortController();
      world.next(({ amount_cents }) => {
        stop.abort(new Error("enough"));
        return { refund_id: "re_1", amount_cents };
      });
      assert.deepEqual(await run.perform("pay_out", ASK, { signal: stop.signal }), {
        refund_id: "re_1",
        amount_cents: 500,
      });
      assert.ok(holds((await client.log(run.runId))[2], "ToolCallCompleted"));
    });

    it("leaves a read open, to be executed again", async () => {
      const run = await open();
      const stop = new AbortController();
      world.next(() => {
        stop.abort(new Error("enough"));
        throw new Error("aborted");
      });
      await assert.rejects(run.perform("find_order", ASK, { signal: stop.signal }), /enough/);
      assert.deepEqual(await kinds(run), ["RunStarted", "ToolCallRequested"]);
      await run.perform("find_order", ASK);
      assert.equal(world.attempts.length, 2);
    });
  });
});
