import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import {
  ClientRun,
  SalvorClient,
  SuspendedError,
  TransportError,
  UndeliveredReportError,
  UnknownOutcomeError,
  type OpenOptions,
} from "#salvor/client/index.js";
import { suspend } from "#salvor/contract/tool-outcome.js";
import { caught } from "./support/caught.js";
import { CuttingProxy, type Mishap } from "./support/proxy.js";
import { TestServer } from "./support/server.js";
import { ALL, World, toolsFor } from "./support/tools.js";

const START = { agentDefHash: "desk-1", input: null };
const ASK = { order_id: "o-1", amount_cents: 500 };
const OTHER = { order_id: "o-2", amount_cents: 900 };
const PAID = { refund_id: "re_1", amount_cents: 500 };
const PAID_OTHER = { refund_id: "re_2", amount_cents: 900 };
const MISHAPS: readonly Mishap[] = ["request lost", "answer lost", "answer cut"];

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

function open(options: OpenOptions = START): Promise<ClientRun> {
  return ClientRun.open(new SalvorClient({ url: proxy.url, retries: 0 }), toolsFor(world), options);
}

function performed(): readonly (readonly [string, number | undefined])[] {
  return world.attempts.map(({ input, seq }) => [input.order_id, seq]);
}

async function kinds(run: ClientRun): Promise<readonly string[]> {
  return (await direct.log(run.runId)).map(({ event }) => event.kind);
}

describe("what waits behind a call whose report could not be delivered", () => {
  for (const mishap of MISHAPS) {
    for (const tool of ["pay_out", "reserve", "find_order"]) {
      it(`is not performed by itself, and the same calls again are performed once (${tool}, ${mishap})`, async () => {
        const run = await open();
        proxy.harm("/steps", mishap);
        const [first, second, third] = await Promise.allSettled([
          run.perform(tool, ASK),
          run.perform(tool, OTHER),
          run.perform(tool, ASK),
        ]);
        assert.ok(first.status === "rejected" && first.reason instanceof UndeliveredReportError);
        for (const behind of [second, third]) {
          assert.ok(behind.status === "rejected");
          assert.equal((behind.reason as Error).name, "HeldBackError");
          assert.equal((behind.reason as Error).cause, first.reason);
        }
        assert.deepEqual(performed(), [["o-1", 1]]);

        assert.deepEqual(await run.perform(tool, ASK), PAID);
        assert.deepEqual(performed(), [["o-1", 1]]);
        assert.deepEqual(await run.perform(tool, OTHER), PAID_OTHER);
        assert.deepEqual(await run.perform(tool, ASK), { refund_id: "re_3", amount_cents: 500 });
        assert.deepEqual(performed(), [
          ["o-1", 1],
          ["o-2", 3],
          ["o-1", 5],
        ]);
      });
    }

    it(`is not answered from it, although it is the very same call (${mishap})`, async () => {
      const run = await open();
      proxy.harm("/steps", mishap);
      const both = [run.perform("pay_out", ASK), run.perform("pay_out", ASK)] as const;
      await assert.rejects(both[0], UndeliveredReportError);
      await assert.rejects(both[1], { name: "HeldBackError" });
      assert.deepEqual(await run.perform("pay_out", ASK), PAID);
      assert.deepEqual(await run.perform("pay_out", ASK), { refund_id: "re_2", amount_cents: 500 });
      assert.equal(world.attempts.length, 2);
    });

    it(`is performed once when the same calls are made again at once, all together (${mishap})`, async () => {
      const run = await open();
      proxy.harm("/steps", mishap, 2);
      proxy.harm("-completion", mishap);
      const patiently = async (order_id: string) => {
        for (;;) {
          try {
            return await run.perform("pay_out", { order_id, amount_cents: 1 });
          } catch (error) {
            if (!["UndeliveredReportError", "HeldBackError"].includes((error as Error).name)) throw error;
          }
        }
      };
      await Promise.all(["o-1", "o-2", "o-3", "o-4"].map(patiently));
      assert.deepEqual(performed(), [
        ["o-1", 1],
        ["o-2", 3],
        ["o-3", 5],
        ["o-4", 7],
      ]);
    });

    it(`says which call may have been opened already, and another process learns that it is open (${mishap})`, async () => {
      const run = await open();
      proxy.harm("/steps", mishap);
      const [, second, third] = await Promise.allSettled([
        run.perform("pay_out", ASK),
        run.perform("pay_out", OTHER),
        run.perform("pay_out", OTHER),
      ]);
      assert.ok(second.status === "rejected" && third.status === "rejected");
      const opened = [second, third].map(({ reason }) => (reason as { openedAt?: number }).openedAt);
      assert.deepEqual(opened, [3, undefined]);

      // The process ends here, with the report in its hands.
      const successor = await open({ runId: run.runId });
      if (mishap === "request lost") {
        await assert.rejects(successor.perform("pay_out", ASK), { name: "NeedsReconciliationError" });
      } else {
        assert.deepEqual(await successor.perform("pay_out", ASK), PAID);
        await assert.rejects(successor.perform("pay_out", OTHER), { name: "NeedsReconciliationError" });
      }
      assert.deepEqual(performed(), [["o-1", 1]]);
    });
  }

  it("is held back too when it is an observation or the end of the run", async () => {
    const run = await open();
    proxy.harm("-completion", "request lost");
    const ends = await Promise.allSettled([
      run.perform("pay_out", ASK),
      run.now(),
      run.random(),
      run.complete("done"),
      run.fail("failed"),
    ]);
    const names = ends.map((end) => end.status === "rejected" && (end.reason as Error).name);
    assert.deepEqual(names, ["UndeliveredReportError", ...Array<string>(4).fill("HeldBackError")]);
    assert.deepEqual(await kinds(run), ["RunStarted", "ToolCallRequested"]);
    assert.deepEqual(await run.perform("pay_out", ASK), PAID);
    await run.complete("done");
    assert.equal(world.attempts.length, 1);
  });

  it("is held back again while the report still cannot be delivered, and flush is not", async () => {
    const run = await open();
    proxy.harm("-completion", "request lost", 2);
    const [, flushed, behind] = await Promise.allSettled([
      run.perform("pay_out", ASK),
      run.flush(),
      run.now(),
    ]);
    assert.ok(flushed.status === "rejected" && flushed.reason instanceof UndeliveredReportError);
    assert.ok(behind.status === "rejected");
    assert.equal((behind.reason as Error).name, "HeldBackError");
    assert.equal(run.undelivered?.seq, 1);
    await run.flush();
    assert.equal(run.undelivered, undefined);
    assert.deepEqual(await run.perform("pay_out", ASK), PAID);
    assert.equal(world.attempts.length, 1);
  });

  it("is held back behind a call that was not opened for certain", async () => {
    for (const mishap of MISHAPS) {
      const run = await open();
      proxy.harm("-intent", mishap);
      const first = run.perform("pay_out", ASK);
      const second = run.perform("pay_out", ASK);
      await assert.rejects(first, TransportError);
      await assert.rejects(second, { name: "HeldBackError" });
    }
    assert.equal(world.attempts.length, 0);
  });

  it("is held back behind a call that a person decides, who may have decided meanwhile", async () => {
    const run = await open();
    world.next(() => suspend("ask a person", { type: "object" }));
    const first = run.perform("pay_out", ASK);
    const rest = Promise.allSettled([run.perform("pay_out", OTHER), run.perform("pay_out", OTHER)]);
    const { suspendedAt } = await caught(first, SuspendedError);
    await direct.resume(run.runId, { seq: suspendedAt, input: PAID });
    for (const behind of await rest) {
      assert.ok(behind.status === "rejected");
      assert.equal((behind.reason as Error).name, "HeldBackError");
    }
    assert.deepEqual(await run.perform("pay_out", ASK), PAID);
    assert.equal(world.attempts.length, 1);
  });

  it("goes on behind a call that was refused before it was recorded", async () => {
    const run = await open();
    const [refused, paid] = await Promise.allSettled([
      run.perform("pay_out", { order_id: 1 }),
      run.perform("pay_out", ASK),
    ]);
    assert.ok(refused.status === "rejected");
    assert.deepEqual(paid.status === "fulfilled" && paid.value, PAID);
  });
});

describe("a call that was passed before its answer reached anybody", () => {
  async function passed(run: ClientRun): Promise<void> {
    proxy.harm("-completion", "answer lost");
    await assert.rejects(run.perform("pay_out", ASK), UndeliveredReportError);
    await run.perform("find_order", OTHER);
  }

  it("is not performed again at the next position: the answer is in the error", async () => {
    const run = await open();
    await passed(run);
    for (let times = 0; times < 2; times += 1) {
      await assert.rejects(run.perform("pay_out", ASK), {
        name: "PassedCallError",
        code: "passed_call",
        tool: "pay_out",
        seq: 1,
        output: PAID,
      });
    }
    assert.equal(world.attempts.length, 2);
    assert.equal(run.position, 5);
  });

  it("is not opened either together with the report before it", async () => {
    const run = await open();
    await passed(run);
    const [other, again] = await Promise.allSettled([
      run.perform("pay_out", OTHER),
      run.perform("pay_out", ASK),
    ]);
    assert.equal(other.status, "fulfilled");
    assert.ok(again.status === "rejected");
    assert.equal((again.reason as Error).name, "PassedCallError");
    assert.equal((await direct.log(run.runId)).length, 7);
  });

  it("is another call when its caller says that it is meant as one", async () => {
    const run = await open();
    await passed(run);
    proxy.harm("-intent", "answer lost");
    const again = () => run.perform("pay_out", ASK, { another: true });
    await assert.rejects(again(), TransportError);
    assert.deepEqual(await again(), { refund_id: "re_3", amount_cents: 500 });
    assert.equal(world.attempts[2]?.seq, 5);
  });

  it("may be asked for again where it is a read, or is known by its content", async () => {
    const run = await open();
    for (const tool of ["find_order", "refund_card"]) {
      proxy.harm("-completion", "answer lost");
      await assert.rejects(run.perform(tool, ASK), UndeliveredReportError);
      await run.now();
    }
    await run.perform("find_order", ASK);
    assert.deepEqual(await run.perform("refund_card", ASK), { refund_id: "re_2", amount_cents: 500 });
    assert.deepEqual(
      world.attempts.map(({ tool }) => tool),
      ["find_order", "refund_card", "find_order"],
    );
  });

  it("is not performed again although a person settled it before the run went on", async () => {
    const run = await open();
    world.next(() => {
      throw new Error("connection reset");
    });
    const { seq } = await caught(run.perform("pay_out", ASK), UnknownOutcomeError);
    await direct.resolve(run.runId, { seq, output: PAID });
    await run.now();
    await assert.rejects(run.perform("pay_out", ASK), { name: "PassedCallError", output: PAID });
  });

  it("may be made again when a person said that it was not performed", async () => {
    const run = await open();
    world.next(() => {
      throw new Error("connection reset");
    });
    const { seq } = await caught(run.perform("pay_out", ASK), UnknownOutcomeError);
    await direct.resolve(run.runId, { seq, not_performed: true });
    await run.now();
    assert.deepEqual(await run.perform("pay_out", ASK), { refund_id: "re_2", amount_cents: 500 });
  });
});
