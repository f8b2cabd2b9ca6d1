import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { ClientRun, SalvorClient, type OpenOptions } from "#salvor/client/index.js";
import { TestServer } from "./support/server.js";
import { ALL, World, toolsFor } from "./support/tools.js";

const START = { agentDefHash: "desk-1", input: { ticket: 7 } };
const ASK = { order_id: "o-1", amount_cents: 500 };

describe("a client's run", () => {
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

  it("records the start, the intent and the completion of a call, in this order", async () => {
    const run = await open();
    const output = await run.perform("refund_card", ASK);
    assert.deepEqual(output, { refund_id: "re_1", amount_cents: 500 });
    await run.complete({ done: true });
    const log = await client.log(run.runId);
    assert.deepEqual(
      log.map(({ event }) => event.kind),
      ["RunStarted", "ToolCallRequested", "ToolCallCompleted", "RunCompleted"],
    );
    assert.equal((await client.run(run.runId)).status.state, "completed");
  });
});
