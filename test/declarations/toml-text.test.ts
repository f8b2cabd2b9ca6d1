import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "#salvor/contract/json.js";
import { readDeclaration } from "#salvor/declarations/read-declaration.js";
import { tomlLine, tomlTable } from "#salvor/declarations/toml-text.js";
import { jsonEqual } from "#salvor/log/json-equal.js";

function readBack(text: string): JsonObject {
  const { raw, findings } = readDeclaration(text, "x.toml");
  assert.deepEqual(findings, []);
  assert.ok(raw);
  return raw;
}

// A key called __proto__ is refused when a declaration is read.
const key = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.constantFrom("$schema", "a.b", 'q"', "back\\slash", "constructor", "valueOf", "", " ", "1", "é"),
);
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("^\\d+$", "it's \\ both", "\u202e", "a\nb\r\n\tc", "\u007f", "'", "\\", "\u{e0001}", "'''"),
);

const { object } = fc.letrec<{ object: JsonObject; value: JsonValue }>((tie) => ({
  object: fc.dictionary(
    key.filter((name) => name !== "__proto__"),
    tie("value"),
    { maxKeys: 5, noNullPrototype: true },
  ),
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => Math.abs(number) < 1e15),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(tie("object"), { maxLength: 3 }),
    tie("object"),
  ),
}));

describe("JSON written as TOML", () => {
  it("is the same JSON when it is read as declarations are", () => {
    fc.assert(
      fc.property(object, (value) => {
        const toml = tomlTable("input_schema", value);
        assert.ok(toml !== undefined);
        assert.ok(jsonEqual(readBack(toml).input_schema ?? null, value), toml);
      }),
      { numRuns: 500 },
    );
  });

  it("is the same text on one line", () => {
    fc.assert(
      fc.property(text, (value) => {
        const line = tomlLine("description", value);
        assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        assert.deepEqual(readBack(line), { description: value });
      }),
    );
  });

  it("does not exist where there is a null, however deep", () => {
    for (const value of [{ const: null }, { enum: ["a", null] }, { a: { b: [{ c: null }] } }])
      assert.equal(tomlTable("input_schema", value), undefined);
  });

  it("keeps values before tables and writes a list of tables as tables", () => {
    const schema = {
      properties: { a: { type: "string" } },
      anyOf: [{ type: "object" }, { properties: { "b c": true } }],
      type: "object",
      examples: [],
      definitions: {},
    };
    assert.equal(
      tomlTable("s", schema),
      `[s]
type = "object"
examples = []

[s.properties.a]
type = "string"

[[s.anyOf]]
type = "object"

[[s.anyOf]]

[s.anyOf.properties]
"b c" = true

[s.definitions]
`,
    );
  });
});
