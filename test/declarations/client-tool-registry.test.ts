import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ClientToolRegistry, DeclarationError, parseDeclaration } from "#salvor/declarations/index.js";
import type { DeclarationInput } from "#salvor/declarations/index.js";

const refund: DeclarationInput = {
  name: "refund_card",
  effect: "write",
  trust_completion: true,
  require_equal: ["amount_cents"],
  idempotency_key: ["order_id", "amount_cents"],
  description: "Refund a card charge.",
  input_schema: {
    type: "object",
    required: ["order_id", "amount_cents"],
    properties: { order_id: { type: "string" }, amount_cents: { type: "integer", default: 1 } },
  },
  output_schema: { type: "object", required: ["amount_cents"] },
};
const lookup: DeclarationInput = { name: "lookup", effect: "read", input_schema: {} };

describe("the registry", () => {
  it("hands out what was declared, with judges for its schemas", async () => {
    const registry = new ClientToolRegistry();
    registry.declare(refund);
    const tool = registry.get("refund_card");
    assert.ok(tool !== undefined);
    assert.deepEqual(tool.declaration, refund);
    assert.deepEqual(await tool.judgeInput({ order_id: "o", amount_cents: 5 }), []);
    assert.equal((await tool.judgeInput({ order_id: "o", amount_cents: "5" }))[0]?.path, "$.amount_cents");
    assert.equal((await tool.judgeOutput?.({}))?.length, 1);
  });

  it("fills in what a declaration may leave out", () => {
    const { declaration, ...judges } = new ClientToolRegistry().declare(lookup);
    assert.deepEqual(declaration, {
      ...lookup,
      trust_completion: false,
      require_equal: [],
      idempotency_key: [],
    });
    assert.deepEqual(Object.keys(judges), ["judgeInput"]);
  });

  it("knows nothing under a name that nobody declared, whatever objects inherit", () => {
    const registry = new ClientToolRegistry();
    for (const name of ["constructor", "toString", "__proto__", ""])
      assert.equal(registry.get(name), undefined);
    registry.declare({ ...lookup, name: "constructor" });
    assert.equal(registry.get("constructor")?.declaration.effect, "read");
    assert.equal(registry.size, 1);
  });

  it("publishes schemas as they were declared and leaves empty lists out, sorted by name", () => {
    const registry = new ClientToolRegistry();
    registry.declare(refund);
    registry.declare(lookup);
    assert.deepEqual(registry.names(), ["lookup", "refund_card"]);
    assert.deepEqual(registry.published(), [
      { name: "lookup", effect: "read", input_schema: {}, trust_completion: false },
      {
        name: "refund_card",
        effect: "write",
        input_schema: refund.input_schema,
        trust_completion: true,
        output_schema: refund.output_schema,
        require_equal: ["amount_cents"],
        idempotency_key: ["order_id", "amount_cents"],
        description: "Refund a card charge.",
      },
    ]);
  });

  it("is frozen to the bottom, and shares nothing with whoever declared", () => {
    const schema = { type: "object", properties: { a: { type: "string" } } };
    const registry = new ClientToolRegistry();
    const { declaration } = registry.declare({ ...lookup, input_schema: schema });
    schema.properties.a.type = "integer";
    assert.deepEqual(declaration.input_schema, { type: "object", properties: { a: { type: "string" } } });
    assert.throws(() => {
      (declaration.input_schema as { properties: { a: { type: string } } }).properties.a.type = "integer";
    }, TypeError);
    assert.throws(() => (registry.published() as unknown[]).push({}), TypeError);
  });

  it("refuses a second declaration under a name", () => {
    const registry = new ClientToolRegistry();
    registry.declare(lookup);
    assert.throws(() => registry.declare({ ...lookup, effect: "write" }), {
      name: "DeclarationError",
      message: /^name "lookup" is declared already - /,
    });
    assert.equal(registry.get("lookup")?.declaration.effect, "read");
  });

  it("replaces only when asked to, and only what is there", () => {
    const registry = new ClientToolRegistry();
    assert.throws(() => registry.replace(lookup), /nothing to replace/);
    registry.declare(lookup);
    assert.equal(registry.published()[0]?.effect, "read");
    registry.replace({ ...lookup, effect: "write" });
    assert.equal(registry.published()[0]?.effect, "write");
    assert.throws(() => registry.replace({ ...lookup, effect: "delete" as "write" }), /effect is "delete"/);
    assert.equal(registry.get("lookup")?.declaration.effect, "write");
  });

  it("holds a host to the checks that a file goes through", () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.not = cyclic;
    const faulty: readonly (readonly [unknown, RegExp])[] = [
      [{ ...lookup, input_schema: { type: "dict" } }, /input_schema\.type: expected one of/],
      [{ ...lookup, input_schema: { minimum: new Date(0) } }, /input_schema\.minimum is not plain data/],
      [{ ...lookup, input_schema: { const: undefined } }, /input_schema\.const is a undefined/],
      [{ ...lookup, input_schema: { maximum: 2 ** 60 } }, /beyond 2\^53-1/],
      [{ ...lookup, input_schema: cyclic }, /nested over 64 levels/],
      [{ ...lookup, input_schema: new Map() }, /input_schema is not plain data/],
      [{ ...lookup, input_schema: null }, /input_schema is null/],
      [{ ...lookup, trust_completion: null }, /trust_completion is null/],
      [{ ...lookup, require_equal: ["a"] }, /output_schema is missing/],
      [{ ...lookup, input_schema_path: "a.json" }, /input_schema_path stands outside of a file/],
      [{ ...lookup, run: () => 1 }, /run/],
      [{}, /name is missing/],
    ];
    for (const [declaration, expected] of faulty) {
      const registry = new ClientToolRegistry();
      assert.throws(
        () => registry.declare(declaration as DeclarationInput),
        (error) => error instanceof DeclarationError && expected.test(error.message),
        String(expected),
      );
      assert.equal(registry.size, 0);
    }
  });
});

describe("a declaration's text", () => {
  it("says all that a declaration in code can say", () => {
    const text = `
      name = "refund_card"
      effect = "write"
      trust_completion = true
      require_equal = ["amount_cents"]
      idempotency_key = ["order_id", "amount_cents"]
      description = "Refund a card charge."

      [input_schema]
      type = "object"
      required = ["order_id", "amount_cents"]
      [input_schema.properties.order_id]
      type = "string"
      [input_schema.properties.amount_cents]
      type = "integer"
      default = 1

      [output_schema]
      type = "object"
      required = ["amount_cents"]
    `;
    assert.deepEqual(parseDeclaration(text, "refund.toml"), refund);
  });

  it("may have fields called constructor and toString", () => {
    const declaration = parseDeclaration(
      [
        'name = "odd"',
        'effect = "write"',
        'idempotency_key = ["constructor", "toString"]',
        "[input_schema]",
        'type = "object"',
        'required = ["constructor", "toString"]',
        'properties.constructor.type = "string"',
        'properties.toString.type = "string"',
      ].join("\n"),
      "odd.toml",
    );
    assert.deepEqual(declaration.idempotency_key, ["constructor", "toString"]);
    assert.deepEqual(Object.keys(declaration.input_schema.properties as object), ["constructor", "toString"]);
  });
});
