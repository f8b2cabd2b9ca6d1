import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { schemaDifference } from "#salvor/log/schema-difference.js";
import type { JsonObject, JsonValue } from "#salvor/contract/json.js";

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
