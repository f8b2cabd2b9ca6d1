import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "#salvor/contract/json.js";
import { Prover } from "#salvor/schema/generator/prove.js";

const DRAFT = "http://json-schema.org/draft-07/schema#";
const object = (properties: Record<string, JsonObject>, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const order = {
  id: { type: "string" },
  lines: { type: "array", items: object({ sku: { type: "string" } }) },
};
// Strict mode refuses it: a keyword of numbers on a text.
const wrong = { type: "string", minimum: 1 };

describe("a prover that has proved a schema", () => {
  const after = (schema: JsonObject) => {
    const prover = new Prover();
    const definitions = { Line: object({ sku: { type: "string" } }) };
    assert.equal(prover.prove({ $schema: DRAFT, ...object(order) }), undefined);
    assert.equal(
      prover.prove({ $schema: DRAFT, ...object({ line: { $ref: "#/definitions/Line" } }, { definitions }) }),
      undefined,
    );
    return prover.prove({ $schema: DRAFT, ...schema });
  };

  it("accepts it again, and another that shares parts with it", () => {
    assert.equal(after(object(order)), undefined);
    assert.equal(after(object({ ...order, more: { type: "number" } })), undefined);
  });

  const places: Record<string, JsonObject> = {
    "in a new member": object({ ...order, more: wrong }),
    "in the items of a list": object({ ...order, more: { type: "array", items: wrong } }),
    "in an item of a tuple": object({
      ...order,
      more: { type: "array", items: [{ type: "string" }, wrong], minItems: 2, maxItems: 2 },
    }),
    "in a member of an alternative": object({
      ...order,
      more: { oneOf: [object({ id: { type: "string" } }), object({ id: wrong })] },
    }),
    "in an alternative itself": object({ ...order, more: { anyOf: [{ type: "string" }, wrong] } }),
    "in the values of an index": object({ ...order, more: { type: "object", additionalProperties: wrong } }),
    "in the values of keys of a pattern": object({
      ...order,
      more: { type: "object", patternProperties: { "^a": wrong } },
    }),
    "beside members that are known": object(order, { minimum: 1 }),
    "in a definition of a name that is known": object(
      { line: { $ref: "#/definitions/Line" } },
      { definitions: { Line: object({ sku: wrong }) } },
    ),
  };
  for (const [place, schema] of Object.entries(places)) {
    it(`still finds what is wrong ${place}`, () => {
      assert.match(after(schema) ?? "", /minimum/);
    });
  }

  it("finds a reference that points at nothing, where the same member was right in another schema", () => {
    assert.match(after(object({ line: { $ref: "#/definitions/Line" } })) ?? "", /points at nothing/);
  });

  it("does not take a schema for right because it was asked before", () => {
    const prover = new Prover();
    const schema = object({ more: wrong });
    const first = prover.prove(schema);
    assert.match(first ?? "", /minimum/);
    assert.equal(prover.prove(schema), first);
  });
});
