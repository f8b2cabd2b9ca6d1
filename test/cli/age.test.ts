import assert from "node:assert/strict";
import { it } from "node:test";
import { ageOf } from "#salvor/cli/age.js";

const NOW = Date.parse("2026-03-04T12:00:00Z");

it("an age is told in its largest whole unit", () => {
  assert.equal(ageOf("2026-03-04T11:59:59.500Z", NOW), "0s");
  assert.equal(ageOf("2026-03-04T11:59:01Z", NOW), "59s");
  assert.equal(ageOf("2026-03-04T11:00:01Z", NOW), "59m");
  assert.equal(ageOf("2026-03-03T12:00:01Z", NOW), "23h");
  assert.equal(ageOf("2026-01-03T12:00:00Z", NOW), "60d");
});

it("a clock that is ahead of ours makes nothing older than now", () => {
  assert.equal(ageOf("2026-03-04T12:00:07Z", NOW), "0s");
});

it("a time that cannot be read has no age", () => {
  assert.equal(ageOf("yesterday", NOW), "?");
});
