import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { SalvorClient, waitOf, type CarriedAsk, type RunWait, type ToolAsk } from "#salvor/client/index.js";
import { holds, type Envelope } from "#salvor/log/events.js";
import { recordedCall } from "#salvor/log/recorded-call.js";
import { loop, openAgent, type Checkpoint, type Decide, type Say } from "./support/scripted-agent.js";
import { TestServer } from "./support/server.js";
import { ALL, World } from "./support/tools.js";

/** A process that dies with one of its requests: that one's answer is lost, or it is not sent, and nothing leaves it any more. */
interface Death {
  readonly at: number;
  readonly isSent: boolean;
  /** Whether the loop has kept checkpoints of its own, and the next process goes on from them. */
  readonly keepsCheckpoint: boolean;
}

/** What becomes of an ask before its call is made. */
type Fate = "made" | "declined" | "edited" | "repaired";

interface Script {
  readonly turns: readonly Say[];
  readonly decide: Decide;
  /** What is made, in the order in which it is. */
  readonly made: readonly Omit<ToolAsk, "id">[];
  /** Whether each answer numbers its asks anew, so that ids are repeated. */
  readonly repeatsIds: boolean;
}

const plannedAsk = fc.record({
  tool: fc.constantFrom("pay_out", "pay_out", "find_order", "reserve", "refund_card"),
  order: fc.integer({ min: 0, max: 1 }),
  fate: fc.constantFrom<Fate>("made", "made", "made", "declined", "edited", "repaired"),
});

const script: fc.Arbitrary<Script> = fc
  .record({
    plan: fc.array(fc.array(plannedAsk, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
    repeatsIds: fc.boolean(),
  })
  .map(({ plan, repeatsIds }) => {
    const inputOf = (order: number) => ({ order_id: `o-${order}`, amount_cents: 100 });
    const idOf = (turn: number, at: number) => (repeatsIds ? `call_${at}` : `${turn}-${at}`);
    const asks = plan.map((calls, turn) =>
      calls.map(({ tool, order, fate: planned }, at) => {
        // An edited ask whose id several answers have cannot be told from another's.
        const fate = repeatsIds && planned === "edited" ? "made" : planned;
        // What is edited or repaired may ask for the same as another one then.
        const held = { id: idOf(turn, at), tool, input: inputOf(order) };
        const edited = { ...held, input: inputOf(1 - order) };
        const said = { made: held, declined: held, edited, repaired: { id: held.id, tool } }[fate];
        return { fate, said, held };
      }),
    );
    const heldOf = ({ fate, held }: (typeof asks)[number][number]): CarriedAsk =>
      fate === "declined" ? { ...held, told: "denial" } : held;
    return {
      turns: [...asks.map((calls) => ({ calls: calls.map(({ said }) => said) })), { calls: [] }],
      decide: (turn) => (asks[turn] ?? []).map(heldOf),
      made: asks
        .flat()
        .flatMap(({ fate, held: { tool, input } }) => (fate === "declined" ? [] : [{ tool, input }])),
      repeatsIds,
    };
  });

const deaths: fc.Arbitrary<readonly Death[]> = fc.array(
  fc.record({ at: fc.integer({ min: 1, max: 30 }), isSent: fc.boolean(), keepsCheckpoint: fc.boolean() }),
  { maxLength: 6 },
);

function dyingFetch({ at, isSent }: Death): typeof fetch {
  let requests = 0;
  return async (...request) => {
    requests += 1;
    if (requests < at) return fetch(...request);
    if (requests === at && isSent) await fetch(...request);
    throw new TypeError("the process is dead");
  };
}

const fresh = (): Checkpoint => ({ messages: [], results: new Map() });

describe("an agent's loop whose process dies anywhere", () => {
  let server: TestServer;
  let direct: SalvorClient;
  before(async () => {
    server = await TestServer.start(ALL);
    direct = new SalvorClient({ url: server.url });
  });
  after(() => server.remove());

  it("makes every call that the model asks for once and in its order, and never asks for an answer that is recorded", async () => {
    await fc.assert(
      fc.asyncProperty(script, deaths, async ({ turns, decide, made, repeatsIds }, plan) => {
        const world = new World();
        const runId = crypto.randomUUID();
        const notPerformed = new Set<number>();
        let kept = fresh();
        const process = async (death: Death): Promise<boolean> => {
          const client = new SalvorClient({ url: server.url, fetch: dyingFetch(death), retries: 0 });
          if (!death.keepsCheckpoint || repeatsIds) kept = fresh();
          const recorded = await answersIn(direct, runId);
          try {
            await loop(await openAgent(client, world, runId), turns, {
              checkpoint: kept,
              decide,
              onAsked: (turn) => {
                assert.ok(turn >= recorded, `the answer of turn ${turn} is recorded`);
              },
            });
            return true;
          } catch (error) {
            if (error instanceof assert.AssertionError) throw error;
            const wait = waitOf(error);
            if (wait === undefined) return false;
            if (!(await settle(direct, world, wait))) notPerformed.add(wait.seq);
            return false;
          }
        };
        let isDone = false;
        for (const death of plan) isDone ||= await process(death);
        // At most every write dangles once.
        for (let last = 0; last < 12 && !isDone; last += 1) {
          isDone = await process({ at: Infinity, isSent: false, keepsCheckpoint: last % 2 === 0 });
        }
        const log = await direct.log(runId);
        assert.equal(log.at(-1)?.event.kind, "RunCompleted");
        const calls = callsIn(log);
        assert.deepEqual(
          calls.map(({ tool, input }) => ({ tool, input })),
          made,
        );
        for (const { seq, effect, isCopy, key } of calls) {
          const paid = world.attempts.filter((attempt) => attempt.seq === seq);
          const times = isCopy || notPerformed.has(seq) ? 0 : 1;
          if (effect === "write")
            assert.equal(paid.length, times, `call ${seq} was performed ${paid.length} times`);
          else assert.ok(paid.length >= times);
          assert.deepEqual([...new Set(paid.map((attempt) => attempt.key))], paid.length > 0 ? [key] : []);
        }
      }),
      { numRuns: process.env.SALVOR_SOAK === "1" ? 2000 : 40 },
    );
  });
});

async function answersIn(client: SalvorClient, runId: string): Promise<number> {
  const log = await client.log(runId).catch(() => []);
  return log.filter((envelope) => holds(envelope, "ModelCallCompleted")).length;
}

/** Settles a call as a person does who looks it up in the provider's books; answers whether it is in them. */
async function settle(client: SalvorClient, world: World, { runId, seq }: RunWait): Promise<boolean> {
  const at = world.attempts.findIndex((attempt) => attempt.seq === seq);
  const paid = world.attempts[at];
  const operator = "Ann";
  if (paid === undefined) await client.resolve(runId, { seq, not_performed: true, operator });
  else {
    const output = { refund_id: `re_${at + 1}`, amount_cents: paid.input.amount_cents };
    await client.resolve(runId, { seq, output, operator });
  }
  return paid !== undefined;
}

function callsIn(log: readonly Envelope[]) {
  return log.flatMap((envelope) => {
    if (!holds(envelope, "ToolCallRequested")) return [];
    const { seq, tool, input, effect, idempotency_key: key } = envelope.event.payload;
    const completion = log[seq + 1];
    const isCopy =
      holds(completion, "ToolCallCompleted") && completion.event.payload.deduplicated_from !== undefined;
    assert.equal(recordedCall((position) => log[position], seq).kind, "settled");
    return [{ seq, tool, input, effect, key, isCopy }];
  });
}
