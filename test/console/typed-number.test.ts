import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import fc from "fast-check";
import { pageModule } from "./support/page-module.js";

interface Typed {
  readonly value: number | undefined;
  readonly problem: string;
}

describe("a number as it is typed", () => {
  let typedNumber: (text: string, isWhole: boolean) => Typed;
  before(async () => {
    ({ typedNumber } = await pageModule<{ typedNumber: typeof typedNumber }>("form/typed-number.ts"));
  });

  it("is the number that its digits say, or none and a problem", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.boolean(), (number, isWhole) => {
        assert.deepEqual(typedNumber(String(number), isWhole), { value: number, problem: "" });
      }),
    );
    const typed = fc.oneof(
      fc.string({ unit: fc.constantFrom(...Array.from("0123456789.,eE+-_ '")), maxLength: 12 }),
      fc.string(),
    );
    fc.assert(
      fc.property(typed, fc.boolean(), (text, isWhole) => {
        const { value, problem } = typedNumber(text, isWhole);
        if (value === undefined) return;
        assert.equal(problem, "");
        assert.match(text.trim(), isWhole ? /^-?\d+$/ : /^-?\d+(?:\.\d+)?$/);
        assert.equal(value, Number(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it("is nothing, without a problem, where nothing is typed", () => {
    for (const text of ["", "  "])
      assert.deepEqual(typedNumber(text, true), { value: undefined, problem: "" });
  });

  it("with a point, an exponent, separators or spaces is none where it has to be whole", () => {
    for (const text of [
      "480.00",
      "480.",
      "4.8e4",
      "48e3",
      "48,000",
      "48.000",
      "48 000",
      "048",
      "+48",
      "-0",
    ]) {
      const { value, problem } = typedNumber(text, true);
      assert.equal(value, undefined, text);
      assert.match(problem, /a whole number, as 48000/i, text);
    }
  });

  it("that a double would round is none", () => {
    const { value, problem } = typedNumber("9007199254740993", true);
    assert.equal(value, undefined);
    assert.match(problem, /9007199254740993/);
  });
});
