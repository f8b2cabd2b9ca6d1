import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SchemaObject, ToolSchemas } from "#salvor/contract/artefact.js";
import { DeclarationError, draftDeclaration, parseDeclaration } from "#salvor/declarations/index.js";

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

const objectOf = (...required: readonly string[]): SchemaObject => ({
  $schema: DRAFT_07,
  type: "object",
  required,
  properties: Object.fromEntries(required.map((name) => [name, { type: "string" }])),
  additionalProperties: false,
});

const tool = (more: Partial<ToolSchemas> = {}): ToolSchemas => ({
  class: "PayOut",
  file: "src/pay-out.ts",
  effect: "write",
  description: 'Pays "out".\nTo a bank.',
  input: objectOf("account", "amount", "run"),
  output: objectOf("amount", "payout"),
  fingerprint: "sha256:0",
  ...more,
});

describe("the draft of a declaration", () => {
  it("is one that a server accepts, with everything filled in and nothing trusted", () => {
    const { text, schemaFiles } = draftDeclaration("pay_out", tool());
    assert.deepEqual(schemaFiles, []);
    assert.deepEqual(parseDeclaration(text, "pay-out.toml"), {
      name: "pay_out",
      effect: "write",
      description: 'Pays "out".\nTo a bank.',
      trust_completion: false,
      require_equal: [],
      idempotency_key: [],
      input_schema: tool().input,
      output_schema: tool().output,
    });
  });

  it("hints at fields that a server accepts", () => {
    const { text } = draftDeclaration("pay_out", tool());
    const uncommented = text.replace(/^# (?=require_equal|idempotency_key)/gm, "");
    const { require_equal, idempotency_key } = parseDeclaration(uncommented, "pay-out.toml");
    assert.deepEqual(require_equal, ["amount"]);
    assert.deepEqual(idempotency_key, ["account", "amount"]);
  });

  it("hints at no field where none is possible", () => {
    const { text } = draftDeclaration(
      "pay_out",
      tool({ input: objectOf("tool"), output: { $schema: DRAFT_07 } }),
    );
    assert.doesNotMatch(text, /require_equal =|idempotency_key =/);
    assert.deepEqual(parseDeclaration(text, "pay-out.toml").output_schema, { $schema: DRAFT_07 });
  });

  it("carries definitions, references, tuples, unions and patterns", () => {
    const input = {
      $schema: DRAFT_07,
      type: "object",
      required: ["lines"],
      properties: {
        lines: { type: "array", items: { $ref: "#/definitions/Line" } },
        pair: { type: "array", items: [{ type: "string" }, { type: "number" }], minItems: 2, maxItems: 2 },
        either: { anyOf: [{ type: "integer" }, { type: "string", pattern: "^\\d{2}\\.'\"$" }] },
        open: true,
        "odd name.": { type: ["null", "string"], default: 1.5 },
      },
      additionalProperties: { type: "string" },
      definitions: { Line: { oneOf: [{ const: "a" }, { const: "b" }], description: "A\tline" } },
    } satisfies SchemaObject;
    const { text } = draftDeclaration("pay_out", tool({ input }));
    assert.deepEqual(parseDeclaration(text, "pay-out.toml").input_schema, input);
  });

  it("names a file for a schema with a null", () => {
    const input = { ...objectOf(), properties: { kind: { enum: ["a", null] } } };
    const { text, schemaFiles } = draftDeclaration("pay_out", tool({ input }));
    assert.deepEqual(schemaFiles, [{ side: "input", file: "pay_out.input.json" }]);
    assert.match(text, /^input_schema_path = "pay_out\.input\.json"$/m);
    assert.doesNotMatch(text, /^\[input_schema/m);
    assert.match(text, /^\[output_schema\]$/m);
  });

  it("lets nothing of a program out of its comments", () => {
    const { text } = draftDeclaration(
      "pay_out",
      tool({ file: "src/a\ntrust_completion = true\n#\u202e.ts" }),
    );
    assert.equal(parseDeclaration(text, "pay-out.toml").trust_completion, false);
    assert.equal(text.match(/^trust_completion/gm)?.length, 1);
    assert.doesNotMatch(text, /\u202e/);
  });

  it("is refused where a server would refuse it", () => {
    const input = { ...objectOf(), properties: { a: { type: "string", format: "no-such-format" } } };
    assert.throws(() => draftDeclaration("pay_out", tool({ input })), DeclarationError);
    const nullToo = { ...input, default: null };
    assert.throws(() => draftDeclaration("pay_out", tool({ input: nullToo })), DeclarationError);
  });
});
