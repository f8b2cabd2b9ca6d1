import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { ClientRun, PassedCallError, SalvorClient, SalvorError } from "#salvor/client/index.js";
import type { JsonValue } from "#salvor/contract/json.js";
import { envelopeOf } from "#salvor/log/events.js";
import { fold } from "#salvor/log/fold.js";
import { judgeAppend } from "#salvor/log/guard.js";
import type { ProxiedAnswer, ProxiedPost } from "../support/losing-proxy.js";
import { losingProxy } from "../support/losing-proxy.js";
import { TestServer } from "./support/server.js";
import { ALL, World, toolsFor } from "./support/tools.js";

const FAULTS = [
  "request lost",
  "answer lost",
  "late",
  "page before",
  "page after",
  "empty 500",
  "error 500",
  "cut json",
  "another answer",
  "not found page",
  "redirected",
] as const;
type Fault = (typeof FAULTS)[number] | "none";

/** A network that does to each POST what a script says, one fault each; behind its end it works. */
class BadNetwork {
  readonly #script: Fault[];
  #late: (() => Promise<ProxiedAnswer>)[] = [];
  #before: ProxiedAnswer = { status: 200, body: "{}" };

  constructor(script: readonly Fault[]) {
    this.#script = [...script];
  }

  readonly handle = async (post: ProxiedPost): Promise<void> => {
    const fault = this.#script.shift() ?? "none";
    // What was under way for long arrives before this, or behind it.
    const late = this.#late;
    this.#late = [];
    const isBefore = this.#script.length % 2 === 0;
    if (isBefore) for (const arrive of late) await arrive();
    await this.#become(fault, post);
    if (!isBefore) for (const arrive of late) await arrive();
  };

  async #become(fault: Fault, post: ProxiedPost): Promise<void> {
    const page = { status: 502, body: "<html>Bad Gateway</html>" };
    if (fault === "request lost") {
      post.lose();
      return;
    }
    if (fault === "late") {
      this.#late.push(() => post.forward());
      post.lose();
      return;
    }
    if (fault === "page before") return post.answer(page);
    if (fault === "redirected") return post.answer({ status: 307, body: "" });
    if (fault === "not found page") return post.answer({ status: 404, body: "<html>Not Found</html>" });
    const answer = await post.forward();
    const before = this.#before;
    this.#before = answer;
    if (fault === "answer lost") {
      post.lose();
      return;
    }
    if (fault === "page after") return post.answer(page);
    if (fault === "empty 500") return post.answer({ status: 500, body: "" });
    if (fault === "error 500") {
      return post.answer({ status: 500, body: '{"error":{"code":"internal","message":"no"}}' });
    }
    if (fault === "cut json") return post.answer({ ...answer, body: answer.body.slice(0, -4) });
    if (fault === "another answer") return post.answer(before);
    return post.answer(answer);
  }
}

interface Call {
  readonly tool: string;
  readonly order: number;
}

const script = fc.record({
  faults: fc.array(fc.constantFrom<Fault>(...FAULTS, "none", "none"), { maxLength: 14 }),
  calls: fc.array(
    fc.record({
      tool: fc.constantFrom("pay_out", "pay_out", "refund_card", "find_order", "reserve"),
      order: fc.integer({ min: 0, max: 2 }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  style: fc.constantFrom("one by one", "together", "failures last", "starting over"),
  retries: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1),
});

describe("a driver behind any network", () => {
  let server: TestServer;
  let direct: SalvorClient;
  before(async () => {
    server = await TestServer.start(ALL);
    direct = new SalvorClient({ url: server.url });
  });
  after(() => server.remove());

  it("executes no write more often than it was asked for, and leaves nothing undelivered unsaid", async () => {
    await fc.assert(
      fc.asyncProperty(script, async ({ faults, calls, style, retries }) => {
        const world = new World();
        const network = new BadNetwork(faults);
        const line = await losingProxy(server.url, network.handle);
        try {
          const client = new SalvorClient({ url: line.url, retries });
          const runId = crypto.randomUUID();
          const open = () =>
            ClientRun.open(client, toolsFor(world), { runId, agentDefHash: "t", input: null });
          let run = await again(open);
          const errors: unknown[] = [];
          const ask = ({ tool, order }: Call) =>
            run
              .perform(tool, { order_id: `o-${order}`, amount_cents: 100 + order })
              .catch((error: unknown) => {
                errors.push(error);
                throw error;
              });

          if (style === "together") {
            for (let rest = calls; rest.length > 0 && errors.length < 200;) {
              const ended = await Promise.allSettled(rest.map(ask));
              // Also those of which nobody knows whether they may go on: in their order, as they were asked for.
              rest = rest.filter((_, at) => ended[at]?.status === "rejected");
              if (errors.some(isForAPerson)) break;
            }
          } else if (style === "failures last") {
            let failed: readonly Call[] = calls;
            for (let round = 0; round < 20 && failed.length > 0; round += 1) {
              const these = failed;
              failed = [];
              for (const call of these) {
                await ask(call).catch((error: unknown) => {
                  if (!(error instanceof PassedCallError)) failed = [...failed, call];
                });
              }
            }
          } else {
            for (const [at, call] of calls.entries()) {
              for (let attempt = 0; attempt < 20; attempt += 1) {
                const ended = await ask(call).then(
                  () => true,
                  () => false,
                );
                if (ended) break;
                if (style !== "starting over") continue;
                // The process dies and makes its calls again, in order.
                run = await again(open);
                for (const before of calls.slice(0, at)) await ask(before).catch(() => undefined);
              }
            }
          }
          await run.flush().catch((error: unknown) => errors.push(error));

          // Whatever was thrown is an error that a program can decide by.
          for (const error of errors) assert.ok(error instanceof SalvorError, String(error));
          for (const tool of ["pay_out", "refund_card", "reserve"]) {
            for (const order_id of ["o-0", "o-1", "o-2"]) {
              const wanted = calls.filter(
                (call) => call.tool === tool && `o-${call.order}` === order_id,
              ).length;
              const keys = world.attempts
                .filter((attempt) => attempt.tool === tool && attempt.input.order_id === order_id)
                .map(({ key }) => key);
              const effects = tool === "reserve" ? new Set(keys).size : keys.length;
              assert.ok(
                effects <= wanted,
                `${tool} of ${order_id}: asked ${wanted}, took effect ${effects} times`,
              );
              if (tool === "refund_card") assert.ok(effects <= 1);
            }
          }

          const log = await direct.log(runId);
          for (const [at, envelope] of log.entries()) {
            assert.equal(judgeAppend(runId, fold(log.slice(0, at)), envelope), null);
          }
          const outputs = new Set<JsonValue>(
            log.flatMap(({ event }) =>
              event.kind === "ToolCallCompleted" ? [JSON.stringify(event.payload.output)] : [],
            ),
          );
          for (const [at, { tool, input }] of world.attempts.entries()) {
            if (tool === "find_order" || tool === "reserve") continue;
            const output = { refund_id: `re_${at + 1}`, amount_cents: input.amount_cents };
            const isRecorded = outputs.has(JSON.stringify(output));
            const isCarried = errors.some(
              (error) => JSON.stringify((error as { output?: JsonValue }).output) === JSON.stringify(output),
            );
            assert.ok(isRecorded || isCarried, `${tool} ${JSON.stringify(output)} is recorded nowhere`);
          }
        } finally {
          await line.close();
        }
      }),
      { numRuns: process.env.SALVOR_SOAK === undefined ? 25 : 3000 },
    );
  });

  for (const [ending, wrong, name] of [
    [
      "client-tool-intent",
      { seq: 3, idempotency_key: "k", effect: "write", settled: false },
      "UnexpectedAnswerError",
    ],
    ["client-tool-completion", { seq: 3, completed: true }, "UndeliveredReportError"],
    ["events", { appended: [7] }, "UnexpectedAnswerError"],
  ] as const) {
    it(`takes no answer about another position for its own (${ending})`, async () => {
      const world = new World();
      let isConfused = false;
      const line = await losingProxy(server.url, async (post) => {
        if (!isConfused || !post.path.endsWith(ending)) return post.answer(await post.forward());
        isConfused = false;
        return post.answer({ status: 200, body: JSON.stringify(wrong) });
      });
      try {
        const client = new SalvorClient({ url: line.url, retries: 0 });
        const run = await ClientRun.open(client, toolsFor(world), { agentDefHash: "t", input: null });
        isConfused = true;
        const call = () => run.perform("pay_out", { order_id: "o-1", amount_cents: 100 });
        await assert.rejects(ending === "events" ? run.now() : call(), { name });
        await call();
        assert.equal(world.attempts.length, 1);
        assert.equal((await direct.log(run.runId)).length, 3);
      } finally {
        await line.close();
      }
    });
  }

  it("takes no log of another run for its own, and none that a cache kept", async () => {
    const other = await direct.openRun();
    const drive = { run: other.run, driveToken: other.drive_token };
    const started = { kind: "RunStarted", payload: { agent_def_hash: "t", input: null } } as const;
    await direct.appendEvents(drive, [envelopeOf(other.run, 0, new Date().toISOString(), started)]);
    const asked: (string | undefined)[] = [];
    const astray = new SalvorClient({
      url: server.url,
      fetch: (url, init) => {
        asked.push((init as { cache?: string }).cache);
        return fetch(url.replace(/[0-9a-f-]{36}/, other.run), init);
      },
    });
    await assert.rejects(astray.log(crypto.randomUUID()), { name: "UnexpectedAnswerError" });
    assert.deepEqual(asked, ["no-store"]);
  });
});

function isForAPerson(error: unknown): boolean {
  return error instanceof SalvorError && ["needs_reconciliation", "divergence"].includes(error.code);
}

async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= 30) throw error;
    }
  }
}
