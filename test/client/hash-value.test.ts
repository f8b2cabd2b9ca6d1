import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { hashValue } from "#salvor/client/index.js";
import type { JsonValue } from "#salvor/contract/json.js";
import { hashValue as serversOwn } from "#salvor/log/canonical-json.js";

describe("the hash of a value that a client computes", () => {
  it("is the server's own, at every length around a block's end and beyond", () => {
    for (let length = 0; length < 300; length += 1) {
      const value = "é".repeat(length % 7) + "a".repeat(length);
      assert.equal(hashValue(value), serversOwn(value), `length ${length}`);
    }
    const long = "0123456789".repeat(100_000);
    assert.equal(hashValue(long), serversOwn(long));
  });

  it("is the server's own for any value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.equal(hashValue(value as JsonValue), serversOwn(value as JsonValue));
      }),
      { numRuns: 300 },
    );
  });
});
