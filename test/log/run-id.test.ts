import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import fc from "fast-check";
import { parseRunId } from "#salvor/log/run-id.js";

describe("a run id", () => {
  it("is a hyphenated UUID in any case, printed in lower case", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.infiniteStream(fc.boolean()), (id, upper) => {
        const mixed = id.replace(/./g, (char) => (upper.next().value === true ? char.toUpperCase() : char));
        assert.equal(parseRunId(mixed), id);
      }),
    );
    assert.equal(parseRunId("FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"), "ffffffff-ffff-ffff-ffff-ffffffffffff");
  });

  for (const bad of [
    "",
    "00000000000040008000000000000001",
    "{00000000-0000-4000-8000-000000000001}",
    "urn:uuid:00000000-0000-4000-8000-000000000001",
    "00000000-0000-4000-8000-00000000000",
    "00000000-0000-4000-8000-0000000000011",
    "00000000-0000-4000-8000-00000000000g",
    " 00000000-0000-4000-8000-000000000001",
    "00000000-0000-4000-8000-000000000001\n",
    "../../etc/passwd",
    "00000000-0000-4000-8000-00000000000\u0661",
    undefined,
    null,
    1,
    ["00000000-0000-4000-8000-000000000001"],
    { toString: () => "00000000-0000-4000-8000-000000000001" },
  ]) {
    it(`is not ${typeof bad} ${inspect(bad)}`, () => {
      assert.equal(parseRunId(bad), undefined);
    });
  }
});
