import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { JsonSchema, JsonValue } from "#salvor/contract/json.js";
import { metaAjv } from "#salvor/schema/ajv-instance.js";
import { isPlainSchema } from "#salvor/schema/plain-schema.js";

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
});
