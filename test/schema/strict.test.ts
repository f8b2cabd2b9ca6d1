import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonSchema, JsonValue } from "#salvor/contract/json.js";
import { pathText } from "#salvor/log/json-path.js";
import { compileStrict, SchemaError } from "#salvor/schema/index.js";

function refusal(schema: JsonSchema): SchemaError {
  try {
    compileStrict(schema);
  } catch (error) {
    if (error instanceof SchemaError) return error;
    throw error;
  }
  return assert.fail("the schema was accepted");
}

function nested(levels: number): JsonSchema {
  let schema: JsonSchema = { type: "string" };
  for (let level = 0; level < levels; level += 1) schema = { not: schema };
  return schema;
}

function properties(count: number, each: JsonValue): JsonSchema {
  return { properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, each])) };
}

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

const refused: readonly (readonly [name: string, schema: JsonSchema, path: string, problem: RegExp])[] = [
  ["a type that does not exist", { type: "dict" }, "$.type", /found "dict"/],
  [
    "the same, deep inside",
    { properties: { a: { items: { type: "dict" } } } },
    "$.properties.a.items.type",
    /"dict"/,
  ],
  ["a misspelled keyword", { type: "string", maxlength: 3 }, "$.maxlength", /did you mean "maxLength"\?/],
  [
    "a keyword of another dialect",
    { $schema: DRAFT_07, prefixItems: [] },
    "$.prefixItems",
    /unknown keyword in draft-07/,
  ],
  ["a keyword where a schema should be", { properties: { a: 1 } }, "$.properties.a", /expected a schema/],
  ["an unknown format", { format: "emial" }, "$.format", /did you mean "email"\?/],
  [
    "an unsupported dialect",
    { $schema: "http://json-schema.org/draft-04/schema#" },
    '$["$schema"]',
    /not a dialect/,
  ],
  ["a dialect that is no text", { $schema: 7 }, '$["$schema"]', /not a dialect/],
  ["a dialect inside a schema", { items: { $schema: DRAFT_07 } }, '$.items["$schema"]', /at the top/],
  ["an asynchronous schema", { $async: true }, '$["$async"]', /\$async is not accepted/],
  [
    "a value taken from the data",
    { properties: { a: { maximum: { $data: "1/b" } } } },
    "$.properties.a.maximum",
    /expected a number/,
  ],
  ["a reference to nothing", { $ref: "#/$defs/a" }, '$["$ref"]', /points at nothing/],
  [
    "a reference to an inherited member",
    { $defs: {}, $ref: "#/$defs/toString" },
    '$["$ref"]',
    /points at nothing/,
  ],
  ["a reference to what is no schema", { required: ["a"], $ref: "#/required" }, '$["$ref"]', /no schema/],
  ["a reference out of the schema", { $ref: "https://example.com/a.json" }, '$["$ref"]', /leads out/],
  [
    "a reference out of a schema with an id",
    { $id: "https://example.com/b", $ref: "a.json" },
    "$",
    /can't resolve/,
  ],
  [
    "a reference that nothing uses, out of the schema",
    { $defs: { a: { $ref: "b.json" } } },
    '$["$defs"].a["$ref"]',
    /leads out/,
  ],
  ["a schema that is itself", { allOf: [{ $ref: "#" }] }, '$.allOf[0]["$ref"]', /refers to itself/],
  [
    "two schemas that are each other",
    { $defs: { a: { $ref: "#/$defs/b" }, b: { not: { $ref: "#/$defs/a" } } } },
    '$["$defs"].b.not["$ref"]',
    /refers to itself/,
  ],
  [
    "a pattern that looks ahead",
    { properties: { a: { pattern: "^(?=x)" } } },
    "$.properties.a.pattern",
    /"\^\(\?=x\)".*looks around/,
  ],
  ["a pattern that looks behind", { pattern: "(?<!x)y" }, "$.pattern", /looks around/],
  ["a pattern that refers back", { pattern: "(a)\\1" }, "$.pattern", /refers back/],
  ["a pattern that repeats too often", { pattern: "^a{5000}$" }, "$.pattern", /"\^a\{5000\}\$".*linear time/],
  [
    "a key pattern that is none",
    { patternProperties: { "(": {} } },
    '$.patternProperties["("]',
    /not a regular expression/,
  ],
  ["a pattern that is too long", { pattern: "ab".repeat(1500) }, "$.pattern", /longer than/],
  ["too many subschemas", properties(1200, {}), "$.properties.p999", /more than the 1000 subschemas/],
  [
    "too many names",
    { dependentRequired: { a: Array.from({ length: 6000 }, (_, at) => `n${at}`) } },
    "$",
    /more than the 5000 keywords/,
  ],
  ["too large a schema", { description: "x".repeat(300_000) }, "$", /larger than/],
  [
    "__proto__ as a key",
    JSON.parse('{"properties":{"__proto__":{}}}') as JsonSchema,
    "$.properties.__proto__",
    /__proto__ is not accepted/,
  ],
  ["the old id", { id: "a" }, "$.id", /did you mean "\$id"\?/],
];

describe("a strict compile refuses, naming the place", () => {
  for (const [name, schema, path, problem] of refused) {
    it(name, () => {
      const error = refusal(schema);
      assert.equal(pathText(error.path), path);
      assert.match(error.problem, problem);
      assert.equal(error.code, "schema_refused");
    });
  }

  it("too deep a schema", () => {
    assert.match(refusal(nested(70)).problem, /nested deeper than the 64 levels/);
  });

  it("patterns that are too large together", () => {
    const patterns = Array.from({ length: 12 }, (_, at) => [`p${at}`, { pattern: `^[a-z]{1,500}${at}$` }]);
    assert.match(
      refusal({ properties: Object.fromEntries(patterns) as JsonValue }).problem,
      /too large together/,
    );
  });

  it("too many keywords", () => {
    const each = { type: "string", minLength: 1, maxLength: 2, title: "t", description: "d", default: "" };
    assert.match(refusal(properties(900, each)).problem, /more than the 5000 keywords/);
  });
});

describe("a strict compile accepts", () => {
  it("what strictTypes and strictRequired would refuse", () => {
    compileStrict({ required: ["a"], properties: { b: { type: ["string", "number"], minimum: 1 } } });
  });

  it("a discriminated union, and judges it by its tag", async () => {
    const judge = compileStrict({
      type: "object",
      required: ["kind"],
      discriminator: { propertyName: "kind" },
      oneOf: [
        { properties: { kind: { const: "card" }, last4: { type: "string" } }, required: ["last4"] },
        { properties: { kind: { const: "cash" } } },
      ],
    });
    assert.deepEqual(await judge({ kind: "cash" }), []);
    assert.equal((await judge({ kind: "card" })).length, 1);
    assert.match((await judge({ kind: "coins" }))[0]?.message ?? "", /"kind".*"coins"/);
  });

  it("a field of any name", async () => {
    const judge = compileStrict({
      type: "object",
      properties: {
        $ref: { type: "string" },
        $schema: {},
        $async: {},
        constructor: {},
        type: { type: "string" },
      },
      additionalProperties: false,
    });
    assert.deepEqual(await judge({ $ref: "#/x", $schema: 1, $async: true, type: "a", constructor: 1 }), []);
  });
});
