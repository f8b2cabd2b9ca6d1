import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import type { JsonSchema, JsonValue } from "#salvor/contract/json.js";
import type { Violation } from "#salvor/contract/validator.js";
import { createValidator, SchemaError } from "#salvor/schema/index.js";

const validator = createValidator({ deadlineMs: 20_000 });

async function judge(schema: JsonSchema, value: JsonValue): Promise<readonly Violation[]> {
  return await validator.compile(schema)(value);
}

interface Case {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly value: JsonValue;
  readonly path: string;
  readonly message: string;
}

const cases: readonly Case[] = [
  {
    name: "a type",
    schema: { type: "integer" },
    value: "12",
    path: "$",
    message: 'expected an integer, found "12"',
  },
  {
    name: "one of several types",
    schema: { type: ["string", "null"] },
    value: 1,
    path: "$",
    message: "expected text or null, found 1",
  },
  {
    name: "a missing member",
    schema: { required: ["amount_cents"] },
    value: { order_id: "o1" },
    path: "$",
    message: 'expected a member "amount_cents", found an object with "order_id"',
  },
  {
    name: "a member too many, by the path to it",
    schema: { properties: { a: {} }, additionalProperties: false },
    value: { "odd key": 1 },
    path: '$["odd key"]',
    message: "expected no such member, found one",
  },
  {
    name: "a place inside arrays and objects",
    schema: {
      properties: { lines: { items: { properties: { amount_cents: { minimum: 1 } } } } },
    },
    value: { lines: [{ amount_cents: 1 }, {}, { amount_cents: 0 }] },
    path: "$.lines[2].amount_cents",
    message: "expected at least 1, found 0",
  },
  {
    name: "a key that looks like an index, and one with a slash and a tilde",
    schema: { additionalProperties: { additionalProperties: { type: "string" } } },
    value: { "0": { "a/b~c": 1 } },
    path: '$["0"]["a/b~c"]',
    message: "expected text, found 1",
  },
  {
    name: "an enum",
    schema: { enum: ["card", "cash"] },
    value: "coins",
    path: "$",
    message: 'expected one of "card", "cash", found "coins"',
  },
  { name: "a const", schema: { const: 5 }, value: 6, path: "$", message: "expected 5, found 6" },
  {
    name: "a length, in characters and not in code units",
    schema: { maxLength: 1 },
    value: "😀😀",
    path: "$",
    message: 'expected at most 1 characters, found 2: "😀😀"',
  },
  {
    name: "a pattern",
    schema: { pattern: "^ord_" },
    value: "o1",
    path: "$",
    message: 'expected text that matches the pattern "^ord_", found "o1"',
  },
  {
    name: "a format",
    schema: { format: "uuid" },
    value: "x",
    path: "$",
    message: 'expected text in the format "uuid", found "x"',
  },
  {
    name: "items that are equal",
    schema: { uniqueItems: true },
    value: [{ a: 1, b: 2 }, 3, { b: 2, a: 1 }],
    path: "$",
    message: "expected items that all differ, found items 0 and 2 equal",
  },
  {
    name: "too few items",
    schema: { minItems: 2 },
    value: [1],
    path: "$",
    message: "expected at least 2 items, found 1",
  },
  {
    name: "an item too many after a tuple",
    schema: { prefixItems: [{}], items: false },
    value: [1, 2],
    path: "$",
    message: "expected at most 1 items, found an array of 2 items",
  },
  {
    name: "contains",
    schema: { contains: { const: 1 }, minContains: 2 },
    value: [1],
    path: "$",
    message: "expected at least 2 items of the kind that the schema names, found an array of 1 item",
  },
  {
    name: "oneOf, when more than one fits",
    schema: { oneOf: [{ type: "integer" }, { minimum: 1 }] },
    value: 2,
    path: "$",
    message:
      "expected a value that fits exactly one of 2 alternatives, found one that fits alternatives 0 and 1",
  },
  {
    name: "not",
    schema: { not: { const: 1 } },
    value: 1,
    path: "$",
    message: "expected a value that the schema does not exclude, found 1",
  },
  {
    name: "a member that another one wants beside it",
    schema: { dependentRequired: { a: ["b"] } },
    value: { a: 1 },
    path: "$",
    message: 'expected a member "b" beside "a", found an object with "a"',
  },
  {
    name: "what no schema evaluated",
    schema: { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
    value: { a: 1, b: 2 },
    path: "$.b",
    message: "expected no such member, found one",
  },
  {
    name: "a multiple",
    schema: { multipleOf: 5 },
    value: 7,
    path: "$",
    message: "expected a multiple of 5, found 7",
  },
  {
    name: "a schema that accepts nothing",
    schema: false,
    value: 1,
    path: "$",
    message: "expected nothing here, found 1",
  },
];

describe("a violation says where, what was expected and what was found", () => {
  for (const { name, schema, value, path, message } of cases) {
    it(name, async () => {
      const violations = await judge(schema, value);
      assert.deepEqual(violations[0], { path, message });
    });
  }

  it("reports every violation of a small value", async () => {
    const violations = await judge(
      { required: ["a"], properties: { b: { type: "string" } }, additionalProperties: false },
      { b: 1, c: 2 },
    );
    assert.deepEqual(violations.map(({ path }) => path).sort(), ["$", "$.b", "$.c"]);
  });

  it("reports at most 100", async () => {
    const violations = await judge({ items: { type: "string" } }, Array<JsonValue>(500).fill(1));
    assert.equal(violations.length, 100);
  });

  it("stays short, however long the value and its keys are", async () => {
    const key = "~".repeat(300_000);
    const [violation] = await judge(
      { additionalProperties: { type: "integer" } },
      { [key]: "x".repeat(300_000) },
    );
    assert.ok(violation !== undefined);
    assert.ok(violation.path.length < 300, `path of ${violation.path.length}`);
    assert.ok(violation.message.length < 200, `message of ${violation.message.length}`);
  });
});

describe("judging", () => {
  it("never changes a value: no default, no coercion, nothing removed", async () => {
    const schema = {
      properties: { a: { default: 1 }, b: { type: "integer" } },
      additionalProperties: false,
    };
    const value = { b: "1", c: true };
    await judge(schema, value);
    assert.deepEqual(value, { b: "1", c: true });
  });

  it("counts own members only", async () => {
    const schema = { required: ["toString", "constructor", "valueOf"] };
    assert.equal((await judge(schema, {})).length, 3);
    assert.deepEqual(await judge(schema, { toString: 1, constructor: 2, valueOf: 3 }), []);
  });

  it("judges members called constructor and toString like any other", async () => {
    const schema = {
      properties: { constructor: { type: "string" }, toString: { type: "string" } },
      additionalProperties: false,
    };
    assert.deepEqual(await judge(schema, {}), []);
    assert.deepEqual(await judge(schema, { constructor: "a", toString: "b" }), []);
    assert.equal((await judge(schema, { constructor: 1 }))[0]?.path, "$.constructor");
    assert.equal((await judge(schema, { valueOf: 1 }))[0]?.path, "$.valueOf");
  });

  it("compares values with hostile names exactly", async () => {
    assert.deepEqual(await judge({ const: { valueOf: 1 } }, { valueOf: 1 }), []);
    assert.equal((await judge({ const: { valueOf: 1 } }, { valueOf: 2 })).length, 1);
    assert.deepEqual(await judge({ enum: [1, { toString: null }] }, { toString: null }), []);
    assert.equal(
      (await judge({ uniqueItems: true, items: { type: "string" } }, ["__proto__", "__proto__"])).length,
      1,
    );
  });

  it("finds equal items exactly where a comparison of all pairs does", async () => {
    const items = fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(items, async (generated) => {
        // JSON has no -0, which deepStrictEqual tells from 0.
        const value = JSON.parse(JSON.stringify(generated)) as JsonValue[];
        const expected = value.some((a, at) => value.slice(0, at).some((b) => isDeepStrictEqual(a, b)));
        assert.equal((await judge({ uniqueItems: true }, value)).length > 0, expected);
      }),
    );
  });

  it("is not reached by what happens to the schema afterwards", async () => {
    const schema: Record<string, JsonValue> = { type: "string" };
    const compiled = validator.compile(schema);
    schema.type = "integer";
    assert.deepEqual(await compiled("text"), []);
  });
});

describe("dialects", () => {
  it("reads a schema in the dialect that it names", async () => {
    const tuple = { items: [{ type: "string" }], additionalItems: false };
    const draft07 = { $schema: "http://json-schema.org/draft-07/schema#", ...tuple };
    assert.equal((await judge(draft07, ["a", 1])).length, 1);
    const draft2019 = { $schema: "https://json-schema.org/draft/2019-09/schema", ...tuple };
    assert.equal((await judge(draft2019, ["a", 1])).length, 1);
    const draft2020 = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      prefixItems: [{ type: "string" }],
      items: false,
    };
    assert.equal((await judge(draft2020, ["a", 1])).length, 1);
  });

  it("reads 2020-12 when no dialect is named", () => {
    assert.throws(() => validator.compile({ items: [{ type: "string" }] }), SchemaError);
  });

  it("keeps schemas with one $id apart", async () => {
    const id = "https://example.com/same";
    const text = validator.compile({ $id: id, type: "string" });
    const number = validator.compile({ $id: id, type: "number" });
    assert.deepEqual(await text("a"), []);
    assert.deepEqual(await number(1), []);
    assert.equal((await text(1)).length, 1);
  });

  it("does not let one schema refer to another", () => {
    validator.compile({ $id: "https://example.com/first", type: "string" });
    for (const $ref of [
      "https://example.com/first",
      "http://json-schema.org/draft-07/schema#",
      "other.json",
    ]) {
      assert.throws(() => validator.compile({ $ref }), SchemaError);
    }
  });

  it("follows references inside a schema, by pointer, anchor and recursion", async () => {
    const tree = {
      $defs: {
        node: {
          type: "object",
          properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } },
        },
        named: { $anchor: "name", type: "string" },
      },
      properties: { tree: { $ref: "#/$defs/node" }, name: { $ref: "#name" } },
    };
    assert.deepEqual(await judge(tree, { tree: { children: [{ children: [] }] }, name: "a" }), []);
    const [violation] = await judge(tree, { tree: { children: [{ children: [1] }] }, name: "a" });
    assert.equal(violation?.path, "$.tree.children[0].children[0]");
  });
});

describe("a schema of a tool's author", () => {
  it("may have keywords and formats that nobody knows", async () => {
    assert.deepEqual(await judge({ type: "string", "x-order": 1, format: "iban" }, "a"), []);
  });

  it("may name a format anywhere that a reference leads to", async () => {
    const schema = { $ref: "#/x-types/Day", "x-types": { Day: { type: "string", format: "date" } } };
    assert.deepEqual(await judge(schema, "2024-02-29"), []);
    assert.equal((await judge(schema, "2023-02-29")).length, 1);
  });

  it("is refused at once when it is no schema", () => {
    assert.throws(
      () => validator.compile({ properties: { a: { type: "dict" } } }),
      (error) => error instanceof SchemaError && error.message.includes("$.properties.a.type"),
    );
  });
});
