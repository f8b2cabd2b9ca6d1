import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pathText } from "#salvor/contract/json-path.js";
import { keyList } from "#salvor/contract/key-list.js";
import { MissingKeyField } from "#salvor/log/keys.js";

describe("the keys that an error names", () => {
  it("are listed, or said to be none", () => {
    assert.equal(keyList(["id", "note"]), "id, note");
    assert.equal(keyList([]), "no keys");
  });

  it("stay few and short, whatever was sent", () => {
    const many = Array.from({ length: 100_000 }, (_, at) => `k${at}`);
    assert.match(keyList(many), /^k0, .*, k19 and 99980 more$/);
    const long = "x".repeat(1_000_000);
    assert.equal(keyList([long]), `${"x".repeat(60)}…`);
    assert.ok(new MissingKeyField("refund", "id", [long, ...many]).message.length < 1000);
    assert.equal(pathText(["a", long, 1]), `$.a.${"x".repeat(60)}…[1]`);
    assert.equal(pathText([` ${long}`]), `$[" ${"x".repeat(59)}…"]`);
  });

  it("are never cut through a character", () => {
    assert.ok(keyList(["x".repeat(59) + "😀".repeat(10)]).isWellFormed());
  });
});
