import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { DivergenceError, SalvorClient, type AgentRun } from "#salvor/client/index.js";
import { assertLegal } from "../adapters/support/log-checks.js";
import { caught } from "./support/caught.js";
import { openAgent, reply } from "./support/scripted-agent.js";
import { TestServer } from "./support/server.js";
import { ALL, World } from "./support/tools.js";

describe("a model call that is not answered", () => {
  let server: TestServer;
  let client: SalvorClient;
  let runId: string;
  before(async () => {
    server = await TestServer.start(ALL);
    client = new SalvorClient({ url: server.url });
  });
  after(() => server.remove());
  beforeEach(() => {
    runId = crypto.randomUUID();
  });

  const open = () => openAgent(client, new World(), runId);
  const failing = (agent: AgentRun, request: string) =>
    caught(
      agent.model(request, () => Promise.reject(new RangeError("overloaded"))),
      RangeError,
    );
  const call = { id: "c1", tool: "find_order", input: { order_id: "o-1", amount_cents: 1 } };
  const answering = (agent: AgentRun, request: string, answered: readonly string[] = []) =>
    agent.model(request, () => Promise.resolve(reply({ calls: [call] })), { answered });
  const answers = async () =>
    (await client.log(runId)).flatMap(({ event }) =>
      event.kind === "ModelCallCompleted" ? [Object.keys(event.payload.response as object)] : [],
    );

  it("is made again by the same request, and given up for another one", async () => {
    const agent = await open();
    await failing(agent, "a");
    await failing(agent, "a");
    await failing(agent, "b");
    await answering(agent, "c");
    assert.deepEqual(await answers(), [["__salvor_error"], ["__salvor_error"], ["calls"]]);
    await agent.call(call);
    await failing(agent, "d");
    const again = await open();
    await answering(again, "e", ["c1"]);
    await again.call(call);
    await again.complete("done");
    assertLegal(runId, await client.log(runId));
  });

  it("that was given up has no answer: the same request is made anew", async () => {
    const agent = await open();
    await failing(agent, "a");
    await answering(agent, "b");
    await agent.call(call);
    await answering(agent, "a", ["c1"]);
    const again = await open();
    const { response } = await again.model("a", () => Promise.reject(new Error("the model was asked")));
    assert.deepEqual(response, { calls: [call] });
    assert.deepEqual(await answers(), [["__salvor_error"], ["calls"], ["calls"]]);
  });

  it("does not keep a run from its end", async () => {
    const agent = await open();
    await failing(agent, "a");
    await agent.fail("nobody answers");
    const last = (await client.log(runId)).at(-1);
    assert.equal(last?.event.kind, "RunFailed");
  });

  it("is left open where the log went on with another request before it", async () => {
    const agent = await open();
    await answering(agent, "a");
    await agent.call(call);
    await failing(agent, "b");
    const again = await open();
    await caught(answering(again, "another program's"), DivergenceError);
    assert.equal((await client.log(runId)).at(-1)?.event.kind, "ModelCallRequested");
  });
});
