import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chainEnvelope, chainHash, CHAIN_START } from "#salvor/log/chain.js";
import { canonicalEnvelope } from "#salvor/log/envelope-json.js";
import { at, RUN } from "./events-of.js";

describe("the hash chain", () => {
  it("is the storage contract's vector", () => {
    assert.equal(
      chainHash(CHAIN_START, "6d1b7a7e-0000-4000-8000-00000000abcd", 1, '{"pinned":"bytes"}'),
      "a0bae6607964dc32cb46850ebe673640389fd66e4c498b30506b051563b10408",
    );
  });

  it("starts with 64 zeros", () => {
    assert.match(CHAIN_START, /^0{64}$/);
  });

  it("holds an envelope by its canonical text", () => {
    const envelope = at(3, "RandomObserved", { value: 18446744073709551615n });
    assert.equal(
      chainEnvelope(CHAIN_START, envelope),
      chainHash(CHAIN_START, RUN, 3, canonicalEnvelope(envelope)),
    );
  });

  it("changes with everything in an envelope, and with the row before it", () => {
    const envelope = at(1, "RunFailed", { error: "no" });
    const changed = [
      envelope,
      { ...envelope, seq: 2 },
      { ...envelope, recorded_at: "2026-01-02T03:04:06Z" },
      { ...envelope, run_id: "00000000-0000-4000-8000-000000000002" },
      { ...envelope, schema_version: 2 },
      at(1, "RunFailed", { error: "No" }),
      at(1, "RunCompleted", { output: "no" }),
      at(1, "RandomObserved", { value: 18446744073709551615n }),
      at(1, "RandomObserved", { value: 18446744073709551614n }),
    ];
    const hashes = changed.map((each) => chainEnvelope(CHAIN_START, each));
    hashes.push(chainEnvelope("1".repeat(64), envelope));
    assert.equal(new Set(hashes).size, hashes.length);
  });
});
