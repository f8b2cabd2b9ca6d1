import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formOf } from "#salvor/mcp/server/form-of.js";

describe("a form", () => {
  it("asks for an object of plain fields as it is, without what a form cannot say", () => {
    const form = formOf({
      type: "object",
      properties: {
        ok: { type: "boolean", title: "Go on?" },
        cents: { type: "integer", minimum: 1, multipleOf: 5 },
        to: { type: "string", pattern: "^[a-z]+$", format: "email" },
        by: { enum: ["card", "iban"] },
      },
      required: ["ok"],
      additionalProperties: false,
    });
    assert.deepEqual(form?.requestedSchema, {
      type: "object",
      properties: {
        ok: { type: "boolean", title: "Go on?" },
        cents: { type: "integer", minimum: 1 },
        to: { type: "string", format: "email" },
        by: { type: "string", enum: ["card", "iban"] },
      },
      required: ["ok"],
    });
    assert.deepEqual(form.answerOf({ ok: true }), { ok: true });
  });

  it("asks for a single plain value as for the only field of an object", () => {
    const form = formOf({ type: "boolean" });
    assert.deepEqual(form?.requestedSchema, {
      type: "object",
      properties: { answer: { type: "boolean" } },
      required: ["answer"],
    });
    assert.equal(form.answerOf({ answer: true }), true);
    assert.equal(form.answerOf(null), null);
  });

  for (const [what, schema] of [
    ["anything", true],
    ["nothing", false],
    ["an empty object", { type: "object" }],
    ["an array", { type: "array", items: { type: "string" } }],
    ["an object in an object", { type: "object", properties: { a: { type: "object" } } }],
    ["one of two types", { type: ["string", "null"] }],
    ["a number among others", { enum: [1, 2] }],
    ["a type that only an ancestor of every object knows", { type: "constructor" }],
  ] as const)
    it(`cannot ask for ${what}`, () => {
      assert.equal(formOf(schema as never), undefined);
    });
});
