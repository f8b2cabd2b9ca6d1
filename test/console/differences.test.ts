import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import fc from "fast-check";
import type { JsonValue } from "#salvor/contract/json.js";
import { pageModule } from "./support/page-module.js";

interface Difference {
  readonly name: string;
  readonly asked: string;
  readonly said: string;
}

describe("what a result says otherwise than was asked for", () => {
  let differencesOf: (asked: JsonValue | undefined, said: JsonValue | undefined) => readonly Difference[];
  before(async () => {
    ({ differencesOf } = await pageModule<{ differencesOf: typeof differencesOf }>("ui/differences.ts"));
  });
  const found = (asked: JsonValue, said: JsonValue) =>
    differencesOf(asked, said).map(({ name, asked: one, said: other }) => [name, one, other]);

  it("is each member of the same name with another value, also further in, cents as money", () => {
    assert.deepEqual(found({ amount_cents: 480_000 }, { amount_cents: 48_000, id: "x" }), [
      ["amount_cents", "480000 (4,800.00)", "48000 (480.00)"],
    ]);
    assert.deepEqual(found({ to: { iban: "A", bic: "B" }, n: 1 }, { n: 1, to: { iban: "C" } }), [
      ["to.iban", "A", "C"],
    ]);
    assert.deepEqual(found({ currency: "EUR" }, { currency: 1 }), [["currency", '"EUR"', "1"]]);
    assert.deepEqual(found({ n: "1" }, { n: 1 }), [["n", '"1"', "1"]]);
    assert.deepEqual(found({ items: [1, 2] }, { items: [2, 1] }), [["items", "[1,2]", "[2,1]"]]);
    assert.deepEqual(found({ constructor: 1 }, { toString: 2 }), []);
  });

  it("is nothing of a value and itself, or of what has no members", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.deepEqual(differencesOf(value as JsonValue, structuredClone(value) as JsonValue), []);
      }),
    );
    assert.deepEqual(found([1], [2]), []);
    assert.deepEqual(found("a", { a: 1 }), []);
    assert.deepEqual(differencesOf(undefined, { a: 1 }), []);
  });
});
