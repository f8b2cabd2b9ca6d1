import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isToolOutcome, output, suspend } from "#salvor/contract/tool-outcome.js";

describe("a tool outcome", () => {
  it("is told apart from plain data that looks like one", () => {
    assert.ok(isToolOutcome(output(1)));
    assert.ok(isToolOutcome(suspend("a second pair of eyes", { type: "boolean" })));
    for (const data of [
      { outcome: "output", value: 1 },
      { ...suspend("x", true) },
      null,
      "output",
      undefined,
    ]) {
      assert.equal(isToolOutcome(data), false);
    }
  });

  it("is frozen", () => {
    assert.ok(Object.isFrozen(output({})));
    assert.ok(Object.isFrozen(suspend("x", true)));
  });
});
