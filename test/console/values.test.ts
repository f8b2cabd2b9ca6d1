import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import fc from "fast-check";
import type { JsonSchema, JsonValue } from "#salvor/contract/json.js";
import { parseJson } from "#salvor/log/parse-json.js";
import { createValidator } from "#salvor/schema/index.js";
import { pageModule } from "./support/page-module.js";

type Path = readonly (string | number)[];

interface Values {
  valueAt(value: JsonValue | undefined, path: Path): JsonValue | undefined;
  withValueAt(value: JsonValue | undefined, path: Path, wanted: JsonValue | undefined): JsonValue | undefined;
  startOf(schema: JsonSchema, root: JsonSchema): JsonValue | undefined;
  looksLike(schema: JsonSchema, value: JsonValue, root: JsonSchema): boolean;
  missingIn(schema: JsonSchema, value: JsonValue | undefined, root: JsonSchema): readonly Path[];
}

const key = fc
  .oneof(fc.constantFrom("a", "b", "constructor", "toString", "hasOwnProperty"), fc.string({ maxLength: 4 }))
  .filter((name) => name !== "__proto__");
const json = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>(null, true, false),
    fc.integer(),
    fc.string(),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 3 }).map((object) => ({ ...object })),
  ),
})).value;

/** Schemas of what declarations use; patterns and `multipleOf` are not solved, and are left out. */
const schema = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constant<JsonSchema>({ type: "string" }),
    fc.integer({ min: 0, max: 5 }).map((minLength): JsonSchema => ({ type: "string", minLength })),
    fc
      .constantFrom("date-time", "date", "email", "uri", "uuid")
      .map((format): JsonSchema => ({ type: "string", format })),
    fc.integer({ min: -9, max: 9 }).map((minimum): JsonSchema => ({ type: "integer", minimum })),
    fc
      .integer({ min: -9, max: 9 })
      .map((exclusiveMinimum): JsonSchema => ({ type: "number", exclusiveMinimum })),
    fc.constantFrom<JsonSchema>(
      { type: "boolean" },
      { type: "null" },
      { const: 7 },
      { enum: ["x", "y"] },
      { type: ["string", "null"] },
    ),
    tie("schema").map((items): JsonSchema => ({ type: "array", items, minItems: 1 })),
    fc.dictionary(key, tie("schema"), { maxKeys: 3 }).map((properties): JsonSchema => ({
      type: "object",
      properties: { ...properties },
      required: Object.keys(properties).slice(0, 2),
      additionalProperties: false,
    })),
    tie("schema").map((one): JsonSchema => ({ anyOf: [one, { const: "other" }] })),
  ),
})).schema;

describe("the values of a form", () => {
  let values: Values;
  let exampleOf: (schema: JsonSchema) => JsonValue;
  let prettyJson: (value: JsonValue) => string;
  before(async () => {
    values = await pageModule<Values>("form/values.ts");
    ({ exampleOf } = await pageModule<{ exampleOf: typeof exampleOf }>("form/example.ts"));
    ({ prettyJson } = await pageModule<{ prettyJson: typeof prettyJson }>("ui/json-text.ts"));
  });

  it("have at a place what was put there, and are otherwise what they were", () => {
    const path = fc.array(fc.oneof(key, fc.integer({ min: 0, max: 3 })), { maxLength: 4 });
    fc.assert(
      fc.property(json, path, json, (value, at, wanted) => {
        const before = structuredClone(value);
        const changed = values.withValueAt(value, at, wanted);
        assert.deepEqual(values.valueAt(changed, at), wanted);
        assert.deepEqual(value, before);
      }),
    );
    assert.deepEqual(values.withValueAt({ a: 1, b: { c: 2 } }, ["b", "c"], undefined), { a: 1, b: {} });
    assert.deepEqual(values.withValueAt({ a: 1, b: 2 }, ["a"], 3), { a: 3, b: 2 });
  });

  it("are written so that they are read back as they are", () => {
    fc.assert(
      fc.property(json, (value) => {
        assert.deepEqual(parseJson(prettyJson(value)), value);
        assert.equal(prettyJson(value), JSON.stringify(value, null, 2));
      }),
    );
    assert.equal(
      prettyJson({ value: 18446744073709551615n } as unknown as JsonValue),
      '{\n  "value": 18446744073709551615\n}',
    );
  });

  it("have an example that their schema accepts, of which nothing is missing, and which is told from other things", async () => {
    await fc.assert(
      fc.asyncProperty(schema, async (one) => {
        const example = exampleOf(one);
        const found = await createValidator().compile(one)(example);
        assert.deepEqual(found, [], JSON.stringify(example));
        assert.deepEqual(values.missingIn(one, example, one), []);
        assert.ok(values.looksLike(one, example, one), JSON.stringify(example));
      }),
    );
  });

  it("begin with nothing but what a schema leaves no choice about", () => {
    const one: JsonSchema = {
      type: "object",
      required: ["kind", "lines", "name", "inner"],
      properties: {
        kind: { const: "door" },
        lines: { type: "array", items: {} },
        name: { type: "string" },
        inner: { type: "object", required: ["unit"], properties: { unit: { const: "kg" } } },
        extra: { const: 1 },
        usual: { type: "integer", default: 5 },
      },
    };
    assert.deepEqual(values.startOf(one, one), { kind: "door", lines: [], inner: { unit: "kg" } });
    assert.deepEqual(values.missingIn(one, values.startOf(one, one), one), [["name"]]);
  });
});
