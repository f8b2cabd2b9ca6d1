import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  failureOutput,
  isFailureOutput,
  isSuspensionOutput,
  reservedKey,
  suspensionOutput,
} from "#salvor/contract/reserved.js";

describe("reserved outputs", () => {
  it("are written as the wire has them", () => {
    assert.deepEqual(failureOutput("handler", "card is closed", 2), {
      __salvor_error: { is_error: true, kind: "handler", message: "card is closed", attempts: 2 },
    });
    assert.deepEqual(suspensionOutput("who?", { type: "string" }), {
      __salvor_suspend: { reason: "who?", input_schema: { type: "string" } },
    });
  });

  it("are recognised by their one key", () => {
    assert.equal(reservedKey(failureOutput("handler", "x", 1)), "__salvor_error");
    assert.equal(reservedKey(suspensionOutput("x", true)), "__salvor_suspend");
    assert.equal(reservedKey({ __salvor_error: null }), "__salvor_error");
  });

  it("are nothing else: not with a second key, not inside something, not inherited", () => {
    for (const free of [
      {},
      null,
      [],
      "__salvor_error",
      { __salvor_error: 1, x: 1 },
      { __salvor_error: 1, __salvor_suspend: 1 },
      { x: { __salvor_error: 1 } },
      [{ __salvor_error: 1 }],
      Object.create({ __salvor_error: 1 }) as Record<string, never>,
    ]) {
      assert.equal(reservedKey(free), undefined);
      assert.equal(isFailureOutput(free) || isSuspensionOutput(free), false);
    }
  });
});
