import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { JsonValue } from "#salvor/contract/json.js";
import { failureOutput, suspensionOutput } from "#salvor/contract/reserved.js";
import { claimOutcome } from "#salvor/log/claim-outcome.js";
import { jsonValues } from "./json-values.js";

describe("what a completion does to its call's identity", () => {
  it("is to settle it for an answer", () => {
    for (const output of [null, {}, [], "done", { __salvor_error: 1, id: 2 }] as JsonValue[]) {
      assert.equal(claimOutcome(output), "settle");
    }
  });

  it("is to release it when the effect definitely did not happen", () => {
    assert.equal(claimOutcome(failureOutput("invalid_input", "m", 1)), "release");
    assert.equal(claimOutcome(failureOutput("handler", "m", 1)), "release");
    assert.equal(claimOutcome(failureOutput("handler", "not performed", 0)), "release");
  });

  it("is to settle it when the handler ran and its output could not be recorded", () => {
    assert.equal(claimOutcome(failureOutput("output_serialization", "m", 1)), "settle");
  });

  it("is to keep it while the call is suspended", () => {
    assert.equal(claimOutcome(suspensionOutput("who?", true)), "keep");
  });

  it("is never to release it for a failure that nobody can read", () => {
    fc.assert(
      fc.property(jsonValues, (inside) => {
        fc.pre(typeof inside !== "object" || inside === null || !Object.hasOwn(inside, "kind"));
        assert.equal(claimOutcome({ __salvor_error: inside }), "settle");
      }),
    );
    for (const kind of [null, 1, "Handler", "handler ", ["handler"], { handler: 1 }]) {
      assert.equal(claimOutcome({ __salvor_error: { kind } }), "settle");
    }
    const inherited = Object.create({ kind: "handler" }) as Record<string, JsonValue>;
    assert.equal(claimOutcome({ __salvor_error: inherited }), "settle");
  });
});
