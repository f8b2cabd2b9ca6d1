import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import fc from "fast-check";
import type { JsonSchema, JsonValue } from "#salvor/contract/json.js";
import { metaAjv } from "#salvor/schema/ajv-instance.js";
import { UNTRUSTED_LIMITS } from "#salvor/schema/limits.js";
import { isPlainSchema } from "#salvor/schema/plain-schema.js";
import { boundSchema } from "#salvor/schema/schema-bounds.js";

const META = {
  "draft-07": "http://json-schema.org/draft-07/schema",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
} as const;

function isSchema(schema: JsonValue, dialect: keyof typeof META): boolean {
  const validate = metaAjv(dialect).getSchema(META[dialect]);
  assert.ok(validate !== undefined);
  return validate(schema) === true;
}

const name = fc.constantFrom("a", "b", "constructor");
const text = fc.constantFrom("object", "string", "null", "x", "#/definitions/a", "#", "#/%", "^a");
const number = fc.constantFrom(0, 1, -1, 1.5, 7);
const keyword = fc.constantFrom(
  ..."$comment $defs $ref additionalProperties allOf anyOf const default definitions description enum examples".split(
    " ",
  ),
  ..."exclusiveMaximum exclusiveMinimum format items maxItems maxLength maxProperties maximum minItems minLength".split(
    " ",
  ),
  ..."minProperties minimum multipleOf not oneOf pattern properties required title type uniqueItems".split(
    " ",
  ),
  ..."$id $async if then dependencies prefixItems unknown toString".split(" "),
);

/** What looks like a schema, and often is none. */
const { schema } = fc.letrec<{ schema: JsonValue; value: JsonValue }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.boolean(),
    fc.dictionary(keyword, tie("value"), { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<JsonValue>,
  ),
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(text, { maxLength: 3 }),
    fc.array(tie("schema"), { maxLength: 2 }),
    fc.dictionary(name, tie("schema"), { maxKeys: 2, noNullPrototype: true }) as fc.Arbitrary<JsonValue>,
    tie("schema"),
  ),
}));

describe("a schema that is plainly one", () => {
  it("is one for the meta-schema of every dialect", () => {
    let plain = 0;
    fc.assert(
      fc.property(schema, (each) => {
        if (!isPlainSchema(each)) return;
        plain += 1;
        boundSchema(each as JsonSchema, UNTRUSTED_LIMITS);
        for (const dialect of Object.keys(META) as (keyof typeof META)[]) assert.ok(isSchema(each, dialect));
      }),
      { numRuns: 4_000 },
    );
    assert.ok(plain > 400, `${plain} were plain`);
  });

  it("may be made of all that the generator writes", () => {
    const generated: JsonSchema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      description: "An order.",
      required: ["id", "lines"],
      properties: {
        id: { type: "string", minLength: 1, pattern: "^o-", examples: ["o-1"] },
        lines: { type: "array", minItems: 1, items: { $ref: "#/definitions/Line" } },
        kind: { enum: ["a", 1, null] },
        more: { anyOf: [{ type: ["string", "null"] }, { const: true }] },
        by: { type: "object", additionalProperties: { type: "integer", minimum: -1, default: 0 } },
      },
      additionalProperties: false,
      definitions: { Line: { type: "object", properties: {}, format: "x", uniqueItems: true } },
    };
    assert.ok(isPlainSchema(generated));
  });

  it("is none that only might be one", () => {
    for (const each of [
      null,
      7,
      [],
      { toString: 1 },
      { $id: "a" },
      { type: "dict" },
      { items: [{}] },
      { $schema: "x" },
    ])
      assert.ok(!isPlainSchema(each), JSON.stringify(each));
  });

  it("is plain JSON data", () => {
    const cycle: Record<string, unknown> = { type: "object" };
    cycle.properties = { again: cycle };
    const foreign = (member: unknown) => [
      { properties: { a: member } },
      { default: member },
      { enum: [member] },
      { examples: [[member]] },
      { const: { a: [member] } },
    ];
    const strange = [undefined, NaN, Infinity, new Date(0), new Map(), () => true, Symbol("a"), 1n];
    for (const each of [
      ...strange.flatMap(foreign),
      cycle,
      { examples: new Array(2) },
      { required: new Array(1) },
      { minimum: NaN },
      { multipleOf: Infinity },
      JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'),
      JSON.parse('{"default":{"__proto__":1}}'),
      Object.create({ type: "string" }),
    ] as unknown[])
      assert.ok(!isPlainSchema(each), inspect(each));
    assert.ok(isPlainSchema({ default: { a: [1, "b", null, true, {}] }, examples: [[1], { a: 2 }] }));
  });

  it("is within the limits on schemas, however deep and large it may be", () => {
    const nestings: readonly ((inner: JsonSchema) => JsonSchema)[] = [
      (inner) => ({ properties: { a: inner }, required: ["a"] }),
      (inner) => ({ anyOf: [inner] }),
      (inner) => ({ items: inner }),
      (inner) => ({ not: inner }),
    ];
    for (const nest of nestings) {
      let deepest = 0;
      let schema: JsonSchema = { enum: [1], default: {} };
      for (let depth = 1; depth < 100; depth += 1) {
        if (isPlainSchema(schema)) {
          boundSchema(schema, UNTRUSTED_LIMITS);
          deepest = depth;
        }
        schema = nest(schema);
      }
      assert.ok(deepest > 20 && deepest < 99, `${deepest}`);
    }
    let shared: JsonSchema = { type: "string" };
    for (let depth = 0; depth < 25; depth += 1) shared = { properties: { a: shared, b: shared } };
    assert.ok(!isPlainSchema(shared));
    assert.ok(!isPlainSchema({ enum: Array.from({ length: 100_000 }, (_, at) => at) }));
  });
});
