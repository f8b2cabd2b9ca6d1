import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  HandlerError,
  reasonOf,
  RetryableError,
  UnknownOutcomeError,
} from "#salvor/contract/handler-errors.js";

describe("a handler's errors", () => {
  it("make a retryable failure a definite one", () => {
    const cause = new Error("429");
    const error = new RetryableError("busy", 250, { cause });
    assert.ok(error instanceof HandlerError);
    assert.deepEqual(
      [error.name, error.code, error.afterMs, error.cause],
      ["RetryableError", "handler", 250, cause],
    );
  });

  for (const afterMs of [-1, NaN, Infinity]) {
    it(`refuse to wait ${afterMs} ms`, () => {
      assert.throws(() => new RetryableError("busy", afterMs), RangeError);
    });
  }

  it("say of an unknown outcome which tool, why, and who decides", () => {
    const cause = new Error("socket hang up");
    const error = new UnknownOutcomeError("refund", cause);
    assert.equal(error.cause, cause);
    assert.match(error.message, /^refund is a write .*socket hang up.* person settles it/);
  });

  it("can name whatever was thrown", () => {
    assert.equal(reasonOf(new Error("x")), "x");
    assert.equal(reasonOf("x"), "x");
    assert.equal(reasonOf(Object.create(null)), "a thrown object");
    assert.equal(reasonOf(Symbol("s")), "Symbol(s)");
  });
});
