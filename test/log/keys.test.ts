import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "#salvor/contract/json.js";
import { jsonEqual } from "#salvor/log/json-equal.js";
import { attemptKey, contentKey, MissingKeyField, RESERVED_KEY_FIELDS } from "#salvor/log/keys.js";
import { HOSTILE_KEYS, jsonValues } from "./json-values.js";

const RUN = "00000000-0000-4000-8000-000000000001";

const run = fc.constantFrom<string>(RUN, "00000000-0000-4000-8000-000000000002", "");
const tool = fc.oneof(fc.constantFrom("refund", "refund_card", ""), fc.string());
const field = fc
  .oneof(fc.constantFrom("a", "b", "id", "Run", "run ", "__proto__", ...HOSTILE_KEYS), fc.string())
  .filter((name) => !RESERVED_KEY_FIELDS.includes(name));

/** A call by content: which fields count, and what they hold. */
const content = fc
  .record({
    run,
    tool,
    identity: fc.array(fc.tuple(field, jsonValues), {
      minLength: 1,
      maxLength: 4,
      // Small enough to meet again in another call.
    }),
  })
  .map(({ identity, ...call }) => ({ ...call, identity: new Map(identity) }));

type Content = typeof content extends fc.Arbitrary<infer T> ? T : never;

function inputOf(members: Iterable<readonly [string, JsonValue]>): JsonObject {
  const input = {};
  for (const [name, value] of members) {
    Object.defineProperty(input, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return input;
}

function keyOf({ run, tool, identity }: Content): string {
  return contentKey(run, tool, [...identity.keys()], inputOf(identity));
}

/** Whether two calls are one, said without hashing anything. */
function sameCall(a: Content, b: Content): boolean {
  return (
    a.run === b.run &&
    a.tool === b.tool &&
    a.identity.size === b.identity.size &&
    [...a.identity].every(([name, value]) => {
      const other = b.identity.get(name);
      return other !== undefined && jsonEqual(value, other);
    })
  );
}

describe("the key of a call that declares no identity", () => {
  it("is the wire contract's vector", () => {
    assert.equal(
      attemptKey(RUN, 1, "charge_card"),
      "sha256:514bc81f163e3c20496a39bc47f9568b1c8c49edb3b15eabfc1d3b52b66c4158",
    );
  });

  it("differs for every other run, position and tool", () => {
    const call = fc.tuple(run, fc.nat(3), tool);
    fc.assert(
      fc.property(call, call, (a, b) => {
        assert.equal(
          attemptKey(...a) === attemptKey(...b),
          a.every((part, at) => part === b[at]),
        );
      }),
    );
  });
});

describe("the key of a call that declares its identity", () => {
  it("is the same in whatever order the operator wrote the fields", () => {
    fc.assert(
      fc.property(content, (call) => {
        const backwards = new Map([...call.identity].reverse());
        assert.equal(keyOf({ ...call, identity: backwards }), keyOf(call));
      }),
    );
  });

  it("is not moved by what is not declared", () => {
    fc.assert(
      fc.property(content, jsonValues, (call, other) => {
        const name = [...call.identity.keys()].join("") + "x";
        const more = inputOf([...call.identity, [name, other]]);
        assert.equal(contentKey(call.run, call.tool, [...call.identity.keys()], more), keyOf(call));
      }),
    );
  });

  it("is one key for one call only", () => {
    fc.assert(
      fc.property(content, content, (a, b) => {
        assert.equal(keyOf(a) === keyOf(b), sameCall(a, b));
      }),
      { numRuns: 500 },
    );
  });

  it("differs when one value, one field name, the run or the tool differs", () => {
    fc.assert(
      fc.property(content, jsonValues, field, (call, value, name) => {
        const [[first, held] = ["", null]] = call.identity;
        const changed = new Map(call.identity).set(first, value);
        assert.equal(keyOf({ ...call, identity: changed }) === keyOf(call), jsonEqual(value, held));
        const renamed = new Map(
          [...call.identity].map(([key, member]) => [key === first ? name : key, member] as const),
        );
        assert.equal(
          keyOf({ ...call, identity: renamed }) === keyOf(call),
          sameCall({ ...call, identity: renamed }, call),
        );
        assert.notEqual(keyOf({ ...call, run: `${call.run}x` }), keyOf(call));
        assert.notEqual(keyOf({ ...call, tool: `${call.tool}x` }), keyOf(call));
      }),
    );
  });

  it("never meets the key of an attempt", () => {
    fc.assert(
      fc.property(content, run, fc.nat(5), tool, (call, attemptRun, seq, attemptTool) => {
        assert.notEqual(keyOf(call), attemptKey(attemptRun, seq, attemptTool));
        assert.notEqual(keyOf(call), attemptKey(call.run, seq, call.tool));
      }),
    );
  });

  it("has no room for the names that stand for the call itself", () => {
    for (const name of ["run", "tool", "seq"]) {
      assert.throws(() => contentKey(RUN, "refund", [name], { [name]: 1 }), TypeError);
    }
  });

  it("is never derived from no field at all: every call of the tool would be one", () => {
    assert.throws(() => contentKey(RUN, "refund", [], { id: 1 }), TypeError);
  });

  it("is never derived from less than it declares, and names the field", () => {
    assert.throws(
      () => contentKey(RUN, "refund", ["id", "cents"], { id: "o", note: "x" }),
      (error: unknown) => {
        assert.ok(error instanceof MissingKeyField);
        assert.deepEqual([error.tool, error.field, error.found], ["refund", "cents", ["id", "note"]]);
        assert.match(error.message, /refund.*"cents".*id, note/);
        return true;
      },
    );
  });

  for (const name of ["__proto__", ...HOSTILE_KEYS]) {
    it(`does not take the inherited ${name} for a field`, () => {
      assert.throws(() => contentKey(RUN, "refund", [name], {}), MissingKeyField);
    });
  }

  it("takes null, false, 0 and an empty string for values", () => {
    const keys = [null, false, 0, ""].map((value) => contentKey(RUN, "refund", ["id"], { id: value }));
    assert.equal(new Set(keys).size, 4);
  });
});
