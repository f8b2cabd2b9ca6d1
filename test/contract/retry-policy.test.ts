import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RetryPolicy } from "#salvor/contract/retry-policy.js";

describe("the retry policy", () => {
  it("never retries a write", () => {
    assert.deepEqual(RetryPolicy.forEffect("write"), { kind: "never" });
  });

  it("retries a read, up to three attempts in all", () => {
    const policy = RetryPolicy.forEffect("read");
    assert.equal(policy.kind, "retry");
    assert.equal("maxAttempts" in policy && policy.maxAttempts, 3);
  });

  it("retries an idempotent call under its key, within the same limits", () => {
    const { kind, ...limits } = RetryPolicy.forEffect("idempotent");
    const { kind: readKind, ...readLimits } = RetryPolicy.forEffect("read");
    assert.equal(kind, "retry_with_same_key");
    assert.notEqual(kind, readKind);
    assert.deepEqual(limits, readLimits);
  });

  it("is data that nobody can change", () => {
    for (const effect of ["read", "idempotent", "write"] as const) {
      assert.ok(Object.isFrozen(RetryPolicy.forEffect(effect)));
    }
  });
});
