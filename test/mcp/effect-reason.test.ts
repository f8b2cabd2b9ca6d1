import assert from "node:assert/strict";
import { it } from "node:test";
import { judgedEffect } from "#salvor/mcp/effect-reason.js";

it("says what an effect follows from", () => {
  const read = { readOnlyHint: true };
  for (const [annotations, options, effect, why] of [
    [read, { override: "write" }, "write", /operator/],
    [read, {}, "read", /readOnlyHint/],
    [{ idempotentHint: true }, {}, "idempotent", /idempotentHint/],
    [{ destructiveHint: false }, {}, "write", /nobody says/],
    [undefined, {}, "write", /nobody says/],
    [read, { trustAnnotations: false }, "write", /not trusted \(it hints read\)/],
    [{}, { trustAnnotations: false }, "write", /nobody says/],
  ] as const) {
    const judged = judgedEffect(annotations, options);
    assert.equal(judged.effect, effect);
    assert.match(judged.why, why);
  }
});
