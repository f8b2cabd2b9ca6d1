import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pathText } from "#salvor/log/json-path.js";

describe("a path in words", () => {
  for (const [path, text] of [
    [[], "$"],
    [["lines", 2, "amount_cents"], "$.lines[2].amount_cents"],
    [[0], "$[0]"],
    [["odd key"], '$["odd key"]'],
    [["a.b", 'say "hi"', ""], '$["a.b"]["say \\"hi\\""][""]'],
    [["2"], '$["2"]'],
    [["__proto__"], "$.__proto__"],
    [["größe"], '$["größe"]'],
    [["new\nline"], '$["new\\nline"]'],
  ] as const) {
    it(`is ${text}`, () => {
      assert.equal(pathText(path), text);
    });
  }
});
