import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  ClientRun,
  DriftError,
  SalvorClient,
  refuseDrift,
  type DeclaredClientTool,
} from "#salvor/client/index.js";
import { schemaDifference } from "#salvor/client/schema-difference.js";
import type { JsonObject, JsonValue } from "#salvor/contract/json.js";
import { caught } from "./support/caught.js";
import { TestServer } from "./support/server.js";
import { ALL, PAY_OUT, World, toolsFor } from "./support/tools.js";

const schema = (...properties: [string, JsonValue][]): JsonObject => ({
  type: "object",
  required: ["a", "b"],
  properties: Object.fromEntries(properties),
});

describe("schemaDifference", () => {
  it("sets annotations and the order of required and enum aside, at every depth", () => {
    const ours = {
      $schema: "http://json-schema.org/draft-07/schema#",
      title: "Refund",
      ...schema(["a", { enum: ["x", "y", { k: 1, l: 2 }], description: "which", default: "x" }]),
      allOf: [{ $id: "urn:a", examples: [1], type: "object" }],
      definitions: { d: { deprecated: true, items: { title: "t", type: "string" } } },
    };
    const theirs = {
      definitions: { d: { items: { type: "string" } } },
      type: "object",
      required: ["b", "a"],
      properties: { a: { enum: [{ l: 2, k: 1 }, "y", "x"] } },
      allOf: [{ type: "object" }],
    };
    assert.equal(schemaDifference(ours, theirs), undefined);
  });

  it("does not take a property that is called like an annotation for one", () => {
    for (const name of ["title", "description", "default", "examples", "deprecated", "$id"]) {
      const difference = schemaDifference(
        schema([name, { type: "string" }]),
        schema([name, { type: "integer" }]),
      );
      assert.ok(difference);
      assert.deepEqual([difference.ours, difference.theirs], ["string", "integer"]);
      assert.ok(schemaDifference(schema([name, true]), schema()));
    }
  });

  it("does not look for annotations in data", () => {
    assert.ok(schemaDifference({ const: { title: "a" } }, { const: { title: "b" } }));
    assert.ok(schemaDifference({ enum: [{ description: "a" }] }, { enum: [{ description: "b" }] }));
  });

  it("keeps the order where it says something", () => {
    assert.ok(schemaDifference({ prefixItems: [true, false] }, { prefixItems: [false, true] }));
    assert.ok(schemaDifference({ const: ["a", "b"] }, { const: ["b", "a"] }));
  });

  for (const [name, ours, theirs, path] of [
    ["a type", schema(["a", { type: "integer" }]), schema(["a", { type: "number" }]), "$.properties.a.type"],
    ["a missing bound", schema(["a", { minimum: 1 }]), schema(["a", {}]), "$.properties.a.minimum"],
    ["a required field", { required: ["a"] }, { required: ["a", "b"] }, "$.required"],
    ["an enum", { enum: [1, 2] }, { enum: [1, 3] }, "$.enum"],
    ["an open object", {}, { additionalProperties: false }, "$.additionalProperties"],
    ["a member of a list", { anyOf: [{ type: "null" }, true] }, { anyOf: [{ type: "null" }] }, "$.anyOf[1]"],
    ["an odd name", { properties: { "a b": true } }, { properties: {} }, '$.properties["a b"]'],
    ["a boolean schema", true, {}, "$"],
    [
      "a hostile name",
      { properties: { constructor: { type: "string" } } },
      { properties: {} },
      "$.properties.constructor",
    ],
  ] as const) {
    it(`names where ${name} differs`, () => {
      assert.equal(schemaDifference(ours, theirs)?.path, path);
      assert.equal(schemaDifference(theirs, ours)?.path, path);
    });
  }

  it("finds nothing between a schema and itself with annotations strewn over it, and something after any other change", () => {
    const type = fc.constantFrom("string", "integer", "boolean", "null");
    const { node } = fc.letrec<{ node: JsonObject }>((tie) => ({
      node: fc.oneof(
        { depthSize: "small" },
        fc.record({ type }),
        fc.record({ items: tie("node") }),
        fc.record({ anyOf: fc.array(tie("node"), { minLength: 1, maxLength: 3 }) }),
        fc.record({
          properties: fc.dictionary(
            fc.constantFrom("a", "title", "default", "valueOf", "__proto__"),
            tie("node"),
          ),
          required: fc.uniqueArray(fc.constantFrom("a", "title", "valueOf"), { maxLength: 3 }),
        }),
      ),
    }));
    fc.assert(
      fc.property(node, (plain) => {
        assert.equal(schemaDifference(plain, annotated(plain)), undefined);
        assert.ok(schemaDifference(plain, { ...plain, minProperties: 1 }));
        assert.ok(schemaDifference({ not: plain }, { not: { allOf: [plain] } }));
      }),
    );
  });
});

/** The same schema, with annotations on every schema in it and its sets turned round. */
function annotated(node: JsonValue): JsonValue {
  if (typeof node !== "object" || node === null) return node;
  const { items, anyOf, properties, required, ...rest } = node as Record<string, JsonValue | undefined>;
  return {
    ...(rest as JsonObject),
    title: "t",
    description: "d",
    default: { title: 1 },
    ...(items !== undefined && { items: annotated(items) }),
    ...(anyOf !== undefined && { anyOf: (anyOf as JsonValue[]).map(annotated) }),
    ...(required !== undefined && { required: [...(required as string[])].reverse() }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as JsonObject).map(([name, member]) => [name, annotated(member)]),
      ),
    }),
  };
}

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
