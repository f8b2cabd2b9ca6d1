import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  ClientRun,
  DriftError,
  SalvorClient,
  refuseDrift,
  type DeclaredClientTool,
} from "#salvor/client/index.js";
import { caught } from "./support/caught.js";
import { TestServer } from "./support/server.js";
import { ALL, PAY_OUT, World, toolsFor } from "./support/tools.js";

describe("drift", () => {
  const face = {
    name: "pay_out",
    effect: "write",
    inputSchema: { type: "object" },
    outputSchema: true,
  } as const;
  const declared: DeclaredClientTool = {
    name: "pay_out",
    effect: "write",
    input_schema: { type: "object" },
    output_schema: true,
    trust_completion: true,
  };

  it("is none between equals, nor where no client may close the call", () => {
    refuseDrift([face], [declared]);
    const { name, effect, input_schema, trust_completion } = declared;
    refuseDrift([face], [{ name, effect, input_schema, trust_completion }]);
  });

  it("names each tool and what differs, all at once", () => {
    const classes = [
      { ...face, effect: "read" },
      { ...face, name: "gone" },
      { ...face, inputSchema: {} },
      { name: "pay_out", effect: "write", inputSchema: { type: "object" } },
    ] as const;
    assert.throws(
      () => {
        refuseDrift(classes, [declared]);
      },
      (error: unknown) => {
        assert.ok(error instanceof DriftError);
        assert.deepEqual(error.message.split("\n"), [
          'pay_out: effect differs: the class says "read", the operator "write"',
          "gone: the server declares no such tool (it declares: pay_out)",
          'pay_out: input_schema differs at $.type: the class has nothing, the declaration has "object"',
          "pay_out: output_schema is declared, and the class has none",
        ]);
        return true;
      },
    );
  });
});

describe("a run whose classes have drifted", () => {
  const input_schema = {
    ...PAY_OUT.input_schema,
    properties: { order_id: { type: "string" }, amount_cents: { type: "integer", minimum: 1 } },
  };
  const START = { agentDefHash: "desk-1" };
  const ASK = { order_id: "o-1", amount_cents: 500 };

  it("is not opened", async () => {
    const server = await TestServer.start([
      ...ALL.filter(({ name }) => name !== "pay_out"),
      { ...PAY_OUT, input_schema },
    ]);
    try {
      const client = new SalvorClient({ url: server.url });
      const runId = crypto.randomUUID();
      const error = await caught(
        ClientRun.open(client, toolsFor(new World()), { ...START, runId }),
        DriftError,
      );
      assert.equal(
        error.message,
        "pay_out: input_schema differs at $.properties.amount_cents.minimum: the class has nothing, the declaration has 1",
      );
      await assert.rejects(client.log(runId), { name: "UnknownRunError" });
    } finally {
      await server.remove();
    }
  });

  it("executes nothing when the operator changed the effect while it ran", async () => {
    const server = await TestServer.start(ALL);
    try {
      const port = server.port;
      const client = new SalvorClient({ url: server.url });
      const world = new World();
      const run = await ClientRun.open(client, toolsFor(world), START);
      await server.stop();
      await server.resume(
        ALL.map((tool) => (tool.name === "reserve" ? { ...tool, effect: "write" as const } : tool)),
        port,
      );
      await assert.rejects(run.perform("reserve", ASK), DriftError);
      await assert.rejects(run.perform("reserve", ASK), DriftError);
      assert.equal(world.attempts.length, 0);
    } finally {
      await server.remove();
    }
  });
});
