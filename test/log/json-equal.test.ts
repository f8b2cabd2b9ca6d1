import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { JsonValue } from "#salvor/contract/json.js";
import { jsonEqual } from "#salvor/log/json-equal.js";
import { jsonValues, reordered } from "./json-values.js";

describe("equality of JSON values", () => {
  it("holds for the same value in any order of keys", () => {
    fc.assert(
      fc.property(jsonValues, fc.infiniteStream(fc.nat()), (value, picks) => {
        assert.ok(jsonEqual(value, reordered(value, picks)));
      }),
    );
  });

  it("is symmetric", () => {
    fc.assert(
      fc.property(jsonValues, jsonValues, (a, b) => {
        assert.equal(jsonEqual(a, b), jsonEqual(b, a));
      }),
    );
  });

  const different: readonly (readonly [JsonValue, JsonValue])[] = [
    [{}, []],
    [[], {}],
    [null, {}],
    [null, false],
    [0, "0"],
    [1, true],
    ["", null],
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ a: 1, b: 1 }, { a: 1 }],
    [{ a: 1 }, { b: 1 }],
    [{ a: null }, {}],
    [[1], [1, 2]],
    [
      [1, 2],
      [2, 1],
    ],
    [["a"], { "0": "a" }],
    [["a"], { "0": "a", length: 1 }],
    [{ valueOf: 1 }, { valueOf: 2 }],
    [{ toString: null }, {}],
    [{}, { constructor: {} }],
    [{ x: 1 }, { constructor: 1 }],
  ];
  for (const [a, b] of different) {
    it(`tells ${JSON.stringify(a)} from ${JSON.stringify(b)}`, () => {
      assert.equal(jsonEqual(a, b), false);
      assert.equal(jsonEqual(b, a), false);
    });
  }

  it("takes 0 and -0 for one number", () => {
    assert.ok(jsonEqual([0], [-0]));
  });

  it("looks at own members only", () => {
    const inherited = Object.create({ a: 1 }) as Record<string, number>;
    assert.equal(jsonEqual(inherited, { a: 1 }), false);
    assert.equal(jsonEqual({ a: 1 }, inherited), false);
    assert.equal(jsonEqual(JSON.parse('{"__proto__":1}') as JsonValue, {}), false);
    assert.equal(jsonEqual(JSON.parse('{"__proto__":{}}') as JsonValue, { x: 1 }), false);
    assert.equal(jsonEqual({ b: 1 }, JSON.parse('{"__proto__":1}') as JsonValue), false);
  });
});
