import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { frozenCopy } from "#salvor/contract/frozen-copy.js";
import type { JsonValue } from "#salvor/contract/json.js";
import { jsonValues } from "../log/json-values.js";

describe("a frozen copy", () => {
  it("is what reading the value's text would make", () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        assert.deepEqual(frozenCopy(value), JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("writes the same text: its keys are in the same order", () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        assert.equal(JSON.stringify(frozenCopy(value)), JSON.stringify(value));
      }),
    );
  });

  it("is not reached by what becomes of the value, at any depth", () => {
    const line = { cents: 1 };
    const value = { lines: [line] };
    const copy = frozenCopy(value);
    line.cents = 2;
    value.lines.push({ cents: 3 });
    assert.deepEqual(copy, { lines: [{ cents: 1 }] });
    assert.ok(Object.isFrozen(copy) && Object.isFrozen(copy.lines) && Object.isFrozen(copy.lines[0]));
  });

  const others: Readonly<Record<string, unknown>> = {
    undefined: undefined,
    "a member that is undefined": { a: undefined },
    "a hole": [1, , 3], // eslint-disable-line no-sparse-arrays
    NaN: [NaN],
    "an infinity": { a: -Infinity },
    "a bigint": { value: 1n },
    "a function": { a: () => 1 },
    "a symbol": [Symbol("s")],
    "a Date": { at: new Date(0) },
    "__proto__ as a key": JSON.parse('{"a":{"__proto__":{"cents":1}}}'),
  };
  for (const [what, value] of Object.entries(others)) {
    it(`is not made of ${what}`, () => {
      assert.equal(frozenCopy(value as JsonValue), undefined);
    });
  }
});
