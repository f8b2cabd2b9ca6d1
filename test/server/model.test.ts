import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { TestServer, type Answer } from "../support/test-server.js";
import { expectedLog, shownLog } from "./expected-log.js";
import { toolOf } from "./model-tools.js";
import { DECLARED, OPEN, requestOf, START, turn } from "./run-steps.js";
import { OPERATOR, send, verdictOf, World, type Actor, type Request } from "./run-world.js";

/** What was seen: what was answered, and the log after it. */
interface Seen {
  readonly verdicts: unknown;
  readonly log: unknown;
}

/** What the contract says would be seen if these requests were done in this order. */
function foreseen(run: string, world: World, requests: readonly Request[], order: readonly Request[]) {
  const then = new World(world);
  const judged = new Map(order.map((request) => [request, request.judge(then)]));
  const verdicts = requests.map((request) => judged.get(request));
  return { then, seen: { verdicts, log: expectedLog(run, then.run) } };
}

void describe("a run, whatever two drivers and an operator do to it", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ operatorToken: OPERATOR, tools: DECLARED });
  });
  after(() => server.stop());

  /** Who decided and what was copied is looked at elsewhere. */
  async function logOf(run: string): Promise<readonly unknown[]> {
    const { json } = await server.get(`/v1/client-runs/${run}/log`);
    return shownLog(json.log);
  }

  /** The world after some requests at once, in whatever order they were done. */
  async function ask(run: string, world: World, requests: readonly Request[], tokens: Map<Actor, string>) {
    const answers = await Promise.all(requests.map((request) => send(server, run, tokens, request)));
    const seen: Seen = { verdicts: answers.map(verdictOf), log: await logOf(run) };
    const first = foreseen(run, world, requests, requests);
    const other = foreseen(run, world, requests, [...requests].reverse());
    const what = JSON.stringify(requests.map(({ actor, endpoint, body }) => ({ actor, endpoint, body })));
    if (isDeepStrictEqual(seen, other.seen)) return { world: other.then, answers };
    assert.deepEqual(seen, first.seen, what);
    return { world: first.then, answers };
  }

  function assertAnswered({ run }: World, { endpoint, body }: Request, { json }: Answer): void {
    const seq = body.seq as number;
    if (endpoint === "client-model-intent") {
      const next = run.log[seq + 1];
      // A run may be abandoned over a model call, which has no answer then.
      const said = next?.kind === "ModelCallCompleted" ? (next.content as object) : undefined;
      assert.deepEqual(json, { seq, settled: said !== undefined, ...said });
      return;
    }
    const output = run.answerAt(seq);
    const call = run.log[seq]?.call;
    assert.ok(call !== undefined);
    const { settled, effect } = json as { settled: boolean; effect: string };
    assert.deepEqual([settled, effect], [output !== undefined, toolOf(call.tool)?.effect]);
    assert.deepEqual(json.output, output);
  }

  it("answers as the contract says, one by one and at once, and its log is what was answered", async () => {
    const met = new Set<string>();
    const history = fc.array(turn, { minLength: 10, maxLength: 40, size: "max" });
    const property = fc.asyncProperty(fc.nat(9), history, async (first, turns) => {
      const run = randomUUID();
      const tokens = new Map<Actor, string>();
      let world = new World();
      // Nine of ten runs are started before anything is asked of them.
      for (const steps of [[OPEN], ...(first > 0 ? [[START]] : []), ...turns]) {
        if (steps.length === 0) await server.restart();
        const requests = steps.map((each) => requestOf(each, run, world));
        const after = await ask(run, world, requests, tokens);
        world = after.world;
        for (const [at, request] of requests.entries()) {
          const answer = after.answers[at]!;
          met.add(`${request.endpoint} ${verdictOf(answer).join(" ")}`);
          const alone = requests.length === 1 && answer.status === 200;
          if (alone && request.endpoint.endsWith("-intent")) assertAnswered(world, request, answer);
        }
      }
    });
    await fc.assert(property, { numRuns: 40, includeErrorInReport: true });
    // What never happened was not tested.
    for (const what of [
      "events 200 ",
      "client-tool-intent 200 ",
      "client-tool-intent 409 divergence",
      "client-tool-completion 200 ",
      "client-tool-completion 400 bad_request",
      "client-tool-completion 403 client_completion_refused",
      "client-tool-completion 403 invalid_drive_token",
      "client-model-intent 200 ",
      "client-model-intent 409 divergence",
      "client-model-completion 200 ",
      "client-model-completion 409 divergence",
      "resolve 200 ",
      "resolve 403 operator_required",
      "resume 200 ",
      "abandon 200 ",
    ]) {
      assert.ok(met.has(what), `${what} was never met among ${[...met].sort().join(", ")}`);
    }
  });
});
