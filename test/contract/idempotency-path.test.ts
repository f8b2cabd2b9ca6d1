import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { IdempotencyPath } from "#salvor/contract/idempotency-path.js";
import type { JsonValue } from "#salvor/contract/json.js";
import { MissingIdempotencyKey } from "#salvor/contract/tool-errors.js";

const path = new IdempotencyPath("refund", "order.id");

describe("an idempotency path", () => {
  it("derives the tool and the value from a non-empty string", () => {
    assert.equal(path.derive({ order: { id: "o-1" }, cents: 5 }), "refund:o-1");
  });

  it("derives the tool and the value from a safe integer", () => {
    assert.equal(path.derive({ order: { id: 9007199254740991 } }), "refund:9007199254740991");
    assert.equal(path.derive({ order: { id: 0 } }), "refund:0");
  });

  const refused: readonly (readonly [what: string, input: JsonValue, found: string])[] = [
    ["an empty string", { order: { id: "" } }, "found an empty string"],
    ["a fraction", { order: { id: 1.5 } }, "found 1.5"],
    ["an integer beyond 2^53-1", { order: { id: 2 ** 53 } }, "found 9007199254740992"],
    ["null", { order: { id: null } }, "found null"],
    ["a boolean", { order: { id: true } }, "found true"],
    ["an object", { order: { id: {} } }, "found an object"],
    ["an array", { order: { id: ["o-1"] } }, "found an array"],
    ["a lone surrogate", { order: { id: "\ud800" } }, "found a string with a lone surrogate"],
    ["a missing member", { order: {} }, "found nothing"],
    ["a missing parent", { orders: {} }, "found nothing"],
    ["a parent that is no object", { order: "o-1" }, "found nothing"],
    ["an input that is no object", "order", "found nothing"],
  ];
  for (const [what, input, found] of refused) {
    it(`refuses ${what}, and never goes on without a key`, () => {
      assert.throws(
        () => path.derive(input),
        (error: unknown) => {
          assert.ok(error instanceof MissingIdempotencyKey);
          assert.equal(error.code, "missing_idempotency_key");
          assert.match(error.message, /refund/);
          assert.match(error.message, /order\.id/);
          assert.ok(error.message.includes(found), error.message);
          return true;
        },
      );
    });
  }

  it("names the keys that the input has", () => {
    assert.throws(() => path.derive({ orderId: "o-1", cents: 1 }), /the input has orderId, cents/);
    assert.throws(() => path.derive({}), /the input has no keys/);
  });

  it("reads own members only, and no length", () => {
    for (const name of ["constructor.name", "toString.name", "__proto__.constructor.name"]) {
      assert.throws(() => new IdempotencyPath("refund", name).derive({}), MissingIdempotencyKey);
    }
    for (const name of ["ids.length", "ids.0", "id.length"]) {
      assert.throws(
        () => new IdempotencyPath("refund", name).derive({ ids: ["a"], id: "abc" }),
        MissingIdempotencyKey,
      );
    }
  });

  it("refuses a path with an empty step", () => {
    for (const bad of ["", ".", "a.", ".a", "a..b"]) {
      assert.throws(() => new IdempotencyPath("refund", bad), TypeError);
    }
  });

  it("derives different keys for different strings, and for different tools", () => {
    const value = fc.string({ minLength: 1, unit: "grapheme" });
    const tool = fc.stringMatching(/^[a-zA-Z0-9_-]{1,8}$/);
    fc.assert(
      fc.property(tool, value, tool, value, (toolA, a, toolB, b) => {
        const keyA = new IdempotencyPath(toolA, "id").derive({ id: a });
        const keyB = new IdempotencyPath(toolB, "id").derive({ id: b });
        assert.equal(keyA === keyB, toolA === toolB && a === b);
      }),
    );
  });
});
