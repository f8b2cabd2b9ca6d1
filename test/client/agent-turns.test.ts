import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  BadRequestError,
  DivergenceError,
  HeldBackError,
  SalvorClient,
  type AgentRun,
  type TurnAsk,
} from "#salvor/client/index.js";
import { caught } from "./support/caught.js";
import { openAgent, reply } from "./support/scripted-agent.js";
import { RunSetting } from "./support/run-setting.js";

const ask = (id: string, order = 1) => ({
  id,
  tool: "pay_out",
  input: { order_id: `o-${order}`, amount_cents: 500 },
});

describe("a model call of an agent", () => {
  const own = RunSetting.use();

  const open = () => openAgent(own.client, own.world, own.runId);
  const never = () => Promise.reject(new Error("the model was asked"));
  const says = (
    agent: AgentRun,
    request: string,
    calls: readonly TurnAsk[],
    answered: readonly string[] = [],
  ) => agent.model(request, () => Promise.resolve(reply({ calls })), { answered });

  it("goes behind an answer that asks for nothing, by what shows that it carries it", async () => {
    await says(await open(), "hello", []);
    await says(await open(), "and then?", [], ["said: nothing"]);
    await says(await open(), "and now?", [], ["said: nothing"]);
    const again = await open();
    for (const request of ["hello", "and then?", "and now?"]) await again.model(request, never);
    await caught((await open()).model("something else", never), DivergenceError);
  });

  it("is not asked while calls of the last answer have not been made, of which it carries nothing", async () => {
    const agent = await open();
    await says(agent, "desk", [ask("c1"), ask("c2", 2)]);
    await agent.call(ask("c1"));
    const error = await caught(agent.model("another loop", never), DivergenceError);
    assert.match(error.message, /the answer at 1 asks for calls that have not been made, pay_out \(c2\)/);
    assert.match(error.message, /One loop at a time/);
    // The loop whose calls these are goes on.
    await agent.call(ask("c2", 2));
    await says(agent, "desk again", [], ["c1", "c2"]);
    assert.equal(own.world.attempts.length, 2);
  });

  it("goes behind calls that were not made when the request tells of them, when nobody waits for them, and when they are no calls of the run", async () => {
    const agent = await open();
    await says(agent, "a", [ask("c1")]);
    await says(agent, "b", [ask("c2")], ["c1"]);
    const gone = new AbortController();
    await agent.model("c", () => Promise.resolve(reply({ calls: [ask("c3")] })), {
      answered: ["c2"],
      signal: gone.signal,
    });
    await caught(agent.model("d", never), DivergenceError);
    gone.abort();
    await says(agent, "d", [{ id: "c4", tool: "draw" }]);
    await says(agent, "e", []);
    assert.equal((await own.client.log(own.runId)).length, 11);
  });

  it("is held back behind an open call that is refused now, and is not what was refused", async () => {
    const agent = await open();
    const read = { id: "c1", tool: "find_order", input: { order_id: "o-1", amount_cents: 1 } };
    await says(agent, "a", [read, ask("c2")]);
    await own.client.toolIntent({ run: own.runId, driveToken: agent.run.driveToken }, { seq: 3, ...read });
    const refusal = { error: { code: "bad_request", message: "no longer acceptable", retryable: false } };
    const strict = new SalvorClient({
      url: own.server.url,
      fetch: (url, init) =>
        new Request(url).url.endsWith("/client-tool-intent")
          ? Promise.resolve(Response.json(refusal, { status: 400 }))
          : fetch(url, init),
    });
    const next = await openAgent(strict, own.world, own.runId);
    const answered = ["c1", "c2"];
    for (const make of [() => next.call(ask("c2")), () => next.model("b", never, { answered })]) {
      const error = await caught(make(), HeldBackError);
      assert.ok(error.cause instanceof BadRequestError);
    }
    assert.equal(own.world.attempts.length, 0);
  });
});
