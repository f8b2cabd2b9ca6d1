import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { annotationsOf, effectOf } from "#salvor/mcp/index.js";
import {
  fromOpenAI,
  ModelToolError,
  toAnthropic,
  toMcp,
  toOpenAI,
  EFFECTS,
  type JsonObject,
  type JsonValue,
  type ToolDescriptor,
} from "#salvor/index.js";

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

const tool = (inputSchema: JsonObject, more: Partial<ToolDescriptor> = {}): ToolDescriptor => ({
  name: "pay_out",
  description: "Pays out.",
  effect: "write",
  inputSchema,
  ...more,
});

const closed = (
  properties: JsonObject,
  required: readonly string[] = Object.keys(properties),
): JsonObject => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** What reads a schema as the APIs do: as 2020-12, with the keywords of older drafts allowed and without effect. */
const accepts = (schema: object, value: unknown): boolean => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true });
  assert.equal(ajv.validateSchema(schema), true, ajv.errorsText());
  return ajv.compile(schema)(value);
};

const CARD = closed({ kind: { const: "card" }, number: { type: "string" } });
const BANK = closed({ kind: { const: "bank" }, iban: { type: "string" } });
const UNION: JsonObject = {
  $schema: DRAFT_07,
  type: "object",
  oneOf: [CARD, { $ref: "#/definitions/Bank" }],
  definitions: { Bank: BANK },
};

/** A schema with a value that it accepts, as the generator makes them. */
interface Pair {
  readonly schema: JsonObject;
  readonly value: JsonValue;
}

const leaf = fc.constantFrom<Pair>(
  { schema: { type: "string", minLength: 1, pattern: "^a" }, value: "ab" },
  { schema: { type: "string", format: "uri" }, value: "a:b" },
  { schema: { type: "integer", minimum: 1, default: 2 }, value: 1 },
  { schema: { enum: ["a", 1] }, value: 1 },
  { schema: { const: "x" }, value: "x" },
  { schema: { anyOf: [{ type: "boolean" }, { type: "string" }] }, value: true },
  { schema: { $ref: "#/definitions/Named", description: "beside" }, value: { n: 1 } },
);
const NAMED = { Named: closed({ n: { type: "number" }, again: { $ref: "#/definitions/Named" } }, ["n"]) };
const member = fc.constantFrom("a", "b", "constructor", "valueOf", "toString");
const { object } = fc.letrec<{ object: Pair; any: Pair }>((tie) => ({
  object: fc
    .dictionary(member, fc.record({ pair: tie("any"), there: fc.boolean(), optional: fc.boolean() }), {
      maxKeys: 4,
      noNullPrototype: true,
    })
    .map((members) => {
      const entries = Object.entries(members);
      const properties = Object.fromEntries(entries.map(([name, { pair }]) => [name, pair.schema]));
      const required = entries.filter(([, { optional }]) => !optional).map(([name]) => name);
      const present = entries.filter(([, { optional, there }]) => !optional || there);
      return {
        schema: closed(properties, required),
        value: Object.fromEntries(present.map(([name, { pair }]) => [name, pair.value])),
      };
    }),
  any: fc.oneof(
    { maxDepth: 3 },
    leaf,
    tie("object"),
    tie("any").map(({ schema, value }) => ({
      schema: { type: "array", items: schema, uniqueItems: false },
      value: [value, value],
    })),
  ),
}));
const input = object.map(({ schema, value }) => ({
  schema: { $schema: DRAFT_07, ...schema, definitions: NAMED },
  value,
}));

/** Every member that is missing as null, which is how a strict call says it. */
function filled(root: JsonObject, schema: JsonObject, value: JsonValue): JsonValue {
  const at = (schema.$ref === undefined ? schema : NAMED.Named) as {
    properties?: Record<string, JsonObject>;
    items?: JsonObject;
  };
  if (Array.isArray(value)) return (value as JsonValue[]).map((each) => filled(root, at.items ?? {}, each));
  if (typeof value !== "object" || value === null) return value;
  const held = value as JsonObject;
  return Object.fromEntries(
    Object.entries(at.properties ?? {}).map(([name, each]) => [
      name,
      Object.hasOwn(held, name) ? filled(root, each, held[name] ?? null) : null,
    ]),
  );
}

/** Everything in a schema that OpenAI's page on Structured Outputs does not allow. */
function faults(schema: unknown, path = "$"): string[] {
  if (typeof schema !== "object" || schema === null) return [`${path}: ${String(schema)}`];
  const {
    type,
    properties,
    required,
    additionalProperties,
    items,
    anyOf,
    enum: values,
    $ref,
    definitions,
    ...rest
  } = schema as Record<string, unknown>;
  const found: string[] = [];
  const allowed = [
    "description",
    "title",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
  ];
  for (const keyword of Object.keys(rest)) if (!allowed.includes(keyword)) found.push(`${path}: ${keyword}`);
  if ($ref !== undefined && Object.keys(schema).length > 1) found.push(`${path}: beside $ref`);
  if (type === undefined && anyOf === undefined && $ref === undefined) found.push(`${path}: no type`);
  if (values !== undefined && type === undefined) found.push(`${path}: enum without type`);
  const names = Object.keys(properties ?? {});
  if (type === "object") {
    if (additionalProperties !== false) found.push(`${path}: open`);
    if (JSON.stringify([...((required ?? []) as string[])].sort()) !== JSON.stringify(names.sort()))
      found.push(`${path}: required`);
  }
  for (const [name, each] of Object.entries({ ...(properties as object), ...(definitions as object) }))
    found.push(...faults(each, `${path}.${name}`));
  if (items !== undefined) found.push(...faults(items, `${path}[]`));
  for (const each of (anyOf ?? []) as unknown[]) found.push(...faults(each, `${path}|`));
  return found;
}

describe("a tool for OpenAI", () => {
  it("has the schema as it is, without strict mode", () => {
    const schema = closed({ a: { type: "string", minLength: 1 } }, []);
    assert.deepEqual(toOpenAI(tool({ $schema: DRAFT_07, ...schema })), {
      tool: {
        type: "function",
        function: { name: "pay_out", description: "Pays out.", parameters: schema, strict: false },
      },
      losses: [],
    });
  });

  it("is within what strict mode takes, says each demand that is lost, and gets back what was meant", () => {
    fc.assert(
      fc.property(input, ({ schema, value }) => {
        const { tool: made, losses } = toOpenAI(tool(schema), { strict: true });
        const { parameters, strict } = made.function;
        assert.equal(strict, true, JSON.stringify(losses));
        assert.deepEqual(faults(parameters), []);
        const said = filled(schema, schema, value);
        assert.ok(accepts(parameters, said), JSON.stringify([parameters, said]));
        assert.deepEqual(fromOpenAI(tool(schema), said), value);
        const text = JSON.stringify(schema);
        for (const keyword of ["minLength", "default", "uniqueItems"])
          assert.equal(
            losses.some((loss) => loss.keyword === keyword),
            text.includes(`"${keyword}":`),
          );
        assert.equal(
          losses.some(({ keyword }) => keyword === "format"),
          text.includes('"uri"'),
        );
      }),
    );
  });

  it("says of an optional member that null stands for leaving it out, and where that cannot be told", () => {
    const { tool: made, losses } = toOpenAI(
      tool(closed({ a: { type: "string" }, b: { type: ["null", "string"] } }, [])),
      { strict: true },
    );
    assert.deepEqual(
      made.function.parameters,
      closed({ a: { anyOf: [{ type: "string" }, { type: "null" }] }, b: { type: ["null", "string"] } }),
    );
    assert.deepEqual(
      losses.map(({ path, keyword }) => [path, keyword]),
      [
        ["$.properties.a", "required"],
        ["$.properties.b", "required"],
      ],
    );
    assert.match(losses[1]?.message ?? "", /null is a value of its own/);
    const { inputSchema } = tool(closed({ a: { type: "string" }, b: { type: ["null", "string"] } }, []));
    assert.deepEqual(fromOpenAI(tool(inputSchema), { a: null, b: null, c: null }), { b: null, c: null });
  });

  for (const [what, schema, path, keyword] of [
    [
      "a record",
      closed({ r: { type: "object", additionalProperties: { type: "string" } } }),
      "$.properties.r",
      "additionalProperties",
    ],
    ["anything", closed({ r: {} }), "$.properties.r", "type"],
    ["a tuple", closed({ r: { type: "array", items: [{ type: "string" }] } }), "$.properties.r", "items"],
    [
      "keys by pattern",
      closed({ r: { ...closed({}), patternProperties: { "^x": true } } }),
      "$.properties.r",
      "patternProperties",
    ],
    ["a required member without a schema", { ...closed({}), required: ["a"] }, "$", "required"],
    ["a boolean", closed({ r: true }), "$.properties.r", ""],
  ] as const)
    it(`is not strict with ${what}, and says why`, () => {
      const { tool: made, losses } = toOpenAI(tool(schema), { strict: true });
      assert.equal(made.function.strict, false);
      assert.deepEqual(made.function.parameters, schema);
      assert.ok(
        losses.some(
          (loss) => loss.path === path && loss.keyword === keyword && loss.message.startsWith("not strict: "),
        ),
      );
    });

  it("is not told a pattern that looks around or back, which strict mode does not run, and says so", () => {
    const patterns = ["^(?!x)a", "a(?=b)", "(?<!x)a", "(?<=x)a", "(a)\\1", "(?<n>a)\\k<n>"];
    for (const pattern of patterns) {
      const { tool: made, losses } = toOpenAI(tool(closed({ a: { type: "string", pattern } })), {
        strict: true,
      });
      assert.deepEqual(made.function.parameters, closed({ a: { type: "string" } }));
      assert.deepEqual(
        losses.map(({ path, keyword }) => [path, keyword]),
        [["$.properties.a", "pattern"]],
      );
    }
    for (const pattern of ["^(?:a|(?<n>b))\\\\1[?]$", "\\(?=x"]) {
      const schema = closed({ a: { type: "string", pattern } });
      assert.deepEqual(toOpenAI(tool(schema), { strict: true }).losses, []);
    }
  });

  it("closes an open object in strict mode, and says so", () => {
    const { tool: made, losses } = toOpenAI(tool({ type: "object", properties: {} }), { strict: true });
    assert.deepEqual(made.function.parameters, closed({}));
    assert.deepEqual(
      losses.map(({ keyword }) => keyword),
      ["additionalProperties"],
    );
  });

  it("is not strict where it is too large or too deep", () => {
    const wide = closed(
      Object.fromEntries(Array.from({ length: 5001 }, (_, at) => [`m${at}`, { type: "null" }])),
    );
    let deep = closed({});
    for (let level = 0; level < 11; level += 1) deep = closed({ deep });
    const many = closed({ a: { enum: Array.from({ length: 1001 }, (_, at) => at) } });
    const names = closed(
      Object.fromEntries(
        Array.from({ length: 1201 }, (_, at) => [`m${at}`.padEnd(100, "x"), { type: "null" }]),
      ),
    );
    const texts = (count: number, length: number) =>
      closed({ a: { enum: Array.from({ length: count }, (_, at) => `${at}`.padEnd(length, "x")) } });
    assert.equal(toOpenAI(tool(texts(250, 61)), { strict: true }).tool.function.strict, true);
    for (const schema of [wide, deep, many, names, texts(251, 60), texts(241, 500)])
      assert.equal(toOpenAI(tool(schema), { strict: true }).tool.function.strict, false);
  });
});

describe("a union at the top", () => {
  for (const [api, convert] of [
    [
      "OpenAI",
      (each: ToolDescriptor) => ({ ...toOpenAI(each), schema: toOpenAI(each).tool.function.parameters }),
    ],
    [
      "strict OpenAI",
      (each: ToolDescriptor) => ({
        ...toOpenAI(each, { strict: true }),
        schema: toOpenAI(each, { strict: true }).tool.function.parameters,
      }),
    ],
    [
      "Anthropic",
      (each: ToolDescriptor) => ({ ...toAnthropic(each), schema: toAnthropic(each).tool.input_schema }),
    ],
  ] as const)
    it(`is one object for ${api}, which allows what each alternative does, and is reported`, () => {
      const { schema, losses } = convert(tool(UNION));
      for (const keyword of ["oneOf", "anyOf", "allOf", "enum", "not", "$schema"])
        assert.ok(!Object.hasOwn(schema, keyword), keyword);
      assert.equal(schema.type, "object");
      const nulls = api === "strict OpenAI" ? { number: null, iban: null } : {};
      assert.ok(accepts(schema, { ...nulls, kind: "card", number: "1" }));
      assert.ok(accepts(schema, { ...nulls, kind: "bank", iban: "1" }));
      assert.ok(!accepts(schema, { ...nulls, kind: "cash" }));
      assert.ok(!accepts(schema, { ...nulls, number: "1" }));
      assert.deepEqual([losses[0]?.path, losses[0]?.keyword], ["$", "oneOf"]);
    });

  it("of open objects demands nothing of a member that only one of them knows", () => {
    const open: JsonObject = {
      type: "object",
      anyOf: [{ properties: { a: { type: "string" } } }, { properties: { b: true } }],
    };
    const { input_schema } = toAnthropic(tool(open)).tool;
    assert.ok(accepts(input_schema, { a: 1, b: 1 }));
  });

  it("that is more than objects, and every other demand there, is left out and reported", () => {
    const schema: JsonObject = {
      ...closed({ a: {} }),
      allOf: [{ minProperties: 1 }],
      not: { required: ["b"] },
      anyOf: [true],
    };
    const { tool: made, losses } = toAnthropic(tool(schema));
    assert.deepEqual(made.input_schema, closed({ a: {} }));
    assert.deepEqual(losses.map(({ keyword }) => keyword).sort(), ["allOf", "anyOf", "not"]);
  });
});

describe("a tool for Anthropic", () => {
  it("says tuples as 2020-12 does, and data stays data", () => {
    const pair: JsonObject = {
      type: "array",
      items: [{ type: "string" }],
      additionalItems: { type: "number" },
    };
    const schema = closed({
      pair,
      items: { const: { items: [1] } },
      list: { type: "array", items: { type: "string" } },
    });
    const { tool: made, losses } = toAnthropic(tool({ $schema: DRAFT_07, ...schema }));
    assert.deepEqual(losses, []);
    assert.deepEqual(made.input_schema.properties, {
      pair: { type: "array", prefixItems: [{ type: "string" }], items: { type: "number" } },
      items: { const: { items: [1] } },
      list: { type: "array", items: { type: "string" } },
    });
    assert.ok(accepts(made.input_schema, { pair: ["a", 1], items: { items: [1] }, list: [] }));
  });

  it("accepts what the tool accepts, and loses nothing", () => {
    fc.assert(
      fc.property(input, ({ schema, value }) => {
        const { tool: made, losses } = toAnthropic(tool(schema));
        assert.deepEqual(losses, []);
        assert.ok(accepts(made.input_schema, value));
      }),
    );
  });

  it("leaves out an optional member whose name the API refuses, and refuses a required one", () => {
    const { tool: made, losses } = toAnthropic(tool(closed({ "a b": {}, c: {} }, ["c"])));
    assert.deepEqual(Object.keys(made.input_schema.properties ?? {}), ["c"]);
    assert.match(losses[0]?.message ?? "", /"a b"/);
    assert.throws(() => toAnthropic(tool(closed({ "a b": {} }))), ModelToolError);
  });
});

describe("a tool for MCP", () => {
  for (const effect of EFFECTS)
    it(`says ${effect} in hints that are read back as the same`, () => {
      const { annotations } = toMcp(tool(closed({}), { effect })).tool;
      assert.deepEqual(annotations, annotationsOf(effect));
      assert.equal(effectOf(annotations), effect);
    });

  it("has both schemas as they are", () => {
    const outputSchema = { $schema: DRAFT_07, ...closed({ ok: { type: "boolean" } }) };
    assert.deepEqual(toMcp(tool(UNION, { outputSchema })), {
      tool: {
        name: "pay_out",
        description: "Pays out.",
        inputSchema: UNION,
        outputSchema,
        annotations: annotationsOf("write"),
      },
      losses: [],
    });
  });

  it("describes no output that is no object, and says so", () => {
    const { tool: made, losses } = toMcp(
      tool({ properties: { a: true, b: false } }, { outputSchema: { type: "string" } }),
    );
    assert.ok(!Object.hasOwn(made, "outputSchema"));
    assert.deepEqual(
      losses.map(({ keyword }) => keyword),
      ["outputSchema"],
    );
    assert.deepEqual(made.inputSchema, { type: "object", properties: { a: {}, b: { not: {} } } });
  });
});

it("a name that no API accepts is refused by each of them", () => {
  for (const convert of [toOpenAI, toAnthropic, toMcp])
    assert.throws(() => convert(tool(closed({}), { name: "pay out" })), {
      name: "ModelToolError",
      code: "model_tool",
    });
});
