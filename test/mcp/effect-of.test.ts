import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { EFFECTS } from "#salvor/contract/effect.js";
import { annotationsOf, effectOf, type ToolAnnotations } from "#salvor/mcp/index.js";

const hint = fc.constantFrom(true, false, undefined, "true", 1, null);
const anyAnnotations = fc
  .record({ readOnlyHint: hint, idempotentHint: hint, destructiveHint: hint, openWorldHint: hint })
  .map((hints) => hints as unknown as ToolAnnotations);

describe("effectOf", () => {
  it("calls a tool without annotations a write", () => {
    assert.equal(effectOf(undefined), "write");
    assert.equal(effectOf({}), "write");
    assert.equal(effectOf({ title: "Look around" }), "write");
  });

  it("believes a claim to be read-only before a claim to be idempotent", () => {
    assert.equal(effectOf({ readOnlyHint: true }), "read");
    assert.equal(effectOf({ idempotentHint: true }), "idempotent");
    assert.equal(effectOf({ readOnlyHint: true, idempotentHint: true }), "read");
    assert.equal(effectOf({ readOnlyHint: false, idempotentHint: true }), "idempotent");
  });

  it("never takes a tool for harmless because it says that it destroys nothing", () => {
    assert.equal(effectOf({ destructiveHint: false }), "write");
    assert.equal(effectOf({ destructiveHint: false, idempotentHint: false, readOnlyHint: false }), "write");
  });

  it("counts a hint only when it is true, whatever the other party sent in its place", () => {
    fc.assert(
      fc.property(anyAnnotations, (annotations) => {
        const effect = effectOf(annotations);
        assert.equal(effect === "read", annotations.readOnlyHint === true);
        assert.equal(
          effect === "idempotent",
          annotations.readOnlyHint !== true && annotations.idempotentHint === true,
        );
      }),
    );
  });

  it("does not count a hint that the object only inherits", () => {
    assert.equal(effectOf(Object.create({ readOnlyHint: true, idempotentHint: true }) as object), "write");
  });

  it("ignores every hint when the operator does not trust them", () => {
    fc.assert(
      fc.property(anyAnnotations, (annotations) => {
        assert.equal(effectOf(annotations, { trustAnnotations: false }), "write");
      }),
    );
  });

  it("lets the operator's word win over every hint", () => {
    fc.assert(
      fc.property(
        anyAnnotations,
        fc.constantFrom(...EFFECTS),
        fc.boolean(),
        (annotations, override, trust) => {
          assert.equal(effectOf(annotations, { override, trustAnnotations: trust }), override);
        },
      ),
    );
  });
});

describe("annotationsOf", () => {
  it("publishes each effect as the hints that say it", () => {
    assert.deepEqual(annotationsOf("read"), { readOnlyHint: true });
    assert.deepEqual(annotationsOf("idempotent"), { readOnlyHint: false, idempotentHint: true });
    assert.deepEqual(annotationsOf("write"), {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
    });
  });

  it("is read back as the effect that it published", () => {
    for (const effect of EFFECTS) assert.equal(effectOf(annotationsOf(effect)), effect);
  });
});
