import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { PatternError, toRe2 } from "#salvor/schema/ecma-pattern.js";
import { linearPattern } from "#salvor/schema/linear-pattern.js";

/** Texts made of the characters that the two engines are known to read differently. */
const text = fc
  .array(
    fc.constantFrom(
      "a",
      "b",
      "A",
      "1",
      "_",
      "-",
      "]",
      "[",
      ":",
      ".",
      "\\",
      "/",
      " ",
      "\n",
      "\r",
      "\u2028",
      "\u00a0",
      "\ufeff",
      "\b",
      "é",
      "😀",
    ),
    { maxLength: 6 },
  )
  .map((chars) => chars.join(""));

const member = fc.constantFrom(
  "a",
  "b-z",
  "0-9",
  "\\s",
  "\\S",
  "\\d",
  "\\W",
  "\\b",
  "\\]",
  "\\-",
  "[:alpha:",
  "^",
  ".",
  "\\u{1F600}",
  "é",
  "&&",
  "\\p{L}",
);
const set = fc
  .tuple(fc.boolean(), fc.array(member, { maxLength: 3 }))
  .map(([negated, members]) => `[${negated ? "^" : ""}${members.join("")}]`);
const atom = fc.oneof(
  set,
  fc.constantFrom(
    "a",
    "b",
    "1",
    ".",
    "\\s",
    "\\S",
    "\\w",
    "\\W",
    "\\d",
    "\\D",
    "\\.",
    "\\/",
    "\\\\",
    "\\n",
    "\\cJ",
    "\\x41",
    "\\u0041",
    "\\ud83d\\ude00",
    "\\p{Lu}",
    "\\P{L}",
    "\\p{Letter}",
    "\\p{Script=Latin}",
    "-",
    ":",
    "é",
    "😀",
  ),
);
const quantified = fc
  .tuple(atom, fc.constantFrom("", "", "*", "+", "?", "{2}", "{0,2}", "*?", "{1,}"))
  .map((parts) => parts.join(""));
const sequence = fc.array(quantified, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));
const group = fc
  .tuple(fc.constantFrom("(", "(?:", "(?<n>"), sequence, sequence, fc.constantFrom("", "*", "+", "?"))
  .map(([open, left, right, quantifier]) => `${open}${left}|${right})${quantifier}`);
const pattern = fc
  .tuple(fc.constantFrom("", "^", "\\b"), fc.oneof(sequence, group), fc.constantFrom("", "$", "\\B"))
  .map((parts) => parts.join(""));

describe("a pattern that runs in linear time", () => {
  it("says the same as the engine of the language", () => {
    fc.assert(
      fc.property(pattern, text, (source, input) => {
        let native: RegExp;
        try {
          native = new RegExp(source, "u");
        } catch {
          fc.pre(false);
          return;
        }
        assert.equal(
          linearPattern(source).test(input),
          native.test(input),
          `${source} on ${JSON.stringify(input)}`,
        );
      }),
      { numRuns: 1000 },
    );
  });

  for (const [source, accepted, refused] of [
    ["^[^]$", "\n", "ab"],
    ["^a[]?$", "a", "ab"],
    ["^[[:digit:]\\]$", "d]", "1]"],
    ["^.$", "😀", "\u2028"],
    ["^\\s$", "\u00a0", "a"],
    ["^a$", "a", "a\n"],
    ["^\\u{1F600}\\ud83d\\ude00$", "😀😀", "😀"],
    ["^[\\b]$", "\b", "b"],
  ] as const) {
    it(`reads ${source} as the language does`, () => {
      assert.equal(linearPattern(source).test(accepted), true);
      assert.equal(linearPattern(source).test(refused), false);
      assert.equal(new RegExp(source, "u").test(accepted), true);
      assert.equal(new RegExp(source, "u").test(refused), false);
    });
  }

  it("keeps two patterns apart, which the compiler tells by their text", () => {
    assert.notEqual(String(linearPattern("a")), String(linearPattern("b")));
  });

  for (const source of [
    "(?=a)",
    "(?!a)",
    "(?<=a)b",
    "(a)\\1",
    "(?<n>a)\\k<n>",
    "a{2000}",
    "(",
    "a**",
    "\\p{Nothing}",
  ]) {
    it(`refuses ${source}`, () => {
      assert.throws(() => linearPattern(source), PatternError);
    });
  }

  it("is written for RE2 without captures, which nobody reads", () => {
    assert.equal(toRe2("(a)(?<n>b)"), "(?:a)(?:b)");
  });
});
