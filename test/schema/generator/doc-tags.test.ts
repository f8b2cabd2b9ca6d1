import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { expectArtefact, expectProblems, Program, toolSource } from "./program.js";

const TAGGED = {
  type: "object",
  properties: { n: { type: "number", minimum: 1 } },
  required: ["n"],
  additionalProperties: false,
};

/** The schema that each member becomes, with its doc comment. */
const MEMBERS: readonly (readonly [doc: string, member: string, schema: unknown])[] = [
  ["A sum. @minimum 0", "m: number", { type: "number", minimum: 0, description: "A sum." }],
  [
    "@maximum 10\n@exclusiveMinimum -1.5",
    "m: number",
    { type: "number", maximum: 10, exclusiveMinimum: -1.5 },
  ],
  [
    "@exclusiveMaximum 1e3\n@multipleOf 0.5",
    "m: number",
    { type: "number", exclusiveMaximum: 1000, multipleOf: 0.5 },
  ],
  ["@integer", "m: number", { type: "integer" }],
  ["@asType integer", "m?: number", { type: "integer" }],
  ["@TJS-type integer\n@minimum 1", "m: number | null", { type: ["integer", "null"], minimum: 1 }],
  ["@integer", "m: number | 'auto'", { anyOf: [{ const: "auto", type: "string" }, { type: "integer" }] }],
  [
    "@minLength 1\n@maxLength 3",
    "m: string | null",
    { type: ["null", "string"], minLength: 1, maxLength: 3 },
  ],
  ["@pattern ^\\d{3}[*]$", "m: string", { type: "string", pattern: "^\\d{3}[*]$" }],
  ['@pattern "^a b$"', "m: string", { type: "string", pattern: "^a b$" }],
  ["@format date-time", "m?: string", { type: "string", format: "date-time" }],
  [
    "@minItems 1\n@maxItems 2\n@uniqueItems",
    "m: string[]",
    { type: "array", items: { type: "string" }, minItems: 1, maxItems: 2, uniqueItems: true },
  ],
  [
    "@items.minimum 0\n@items.integer",
    "m: number[]",
    { type: "array", items: { type: "integer", minimum: 0 } },
  ],
  [
    "@items.format email\n@minItems 1",
    "m: readonly string[] | null",
    { anyOf: [{ type: "array", items: { type: "string", format: "email" }, minItems: 1 }, { type: "null" }] },
  ],
  ['@default "a"', "m?: 'a' | 'b'", { type: "string", enum: ["a", "b"], default: "a" }],
  [
    '@default {"a": [1]}',
    "m?: { a: number[] }",
    {
      type: "object",
      properties: { a: { type: "array", items: { type: "number" } } },
      required: ["a"],
      additionalProperties: false,
      default: { a: [1] },
    },
  ],
  ["@default null", "m?: string | null", { type: ["null", "string"], default: null }],
  ['@examples ["a", "b@c"]', "m: string", { type: "string", examples: ["a", "b@c"] }],
  [
    "@title Customer number\n@deprecated use id",
    "m: string",
    { type: "string", title: "Customer number", description: "Deprecated: use id", deprecated: true },
  ],
  [
    "Two lines\n\nof text, a@b.c, {@link Foo} and `@code`.",
    "m: string",
    { type: "string", description: "Two lines\n\nof text, a@b.c, {@link Foo} and `@code`." },
  ],
  ["@minimum 3", "m: Cents", { type: "integer", minimum: 3, description: "Money in cents." }],
  [
    "Own text.",
    "m: Cents | null",
    {
      anyOf: [{ type: "integer", description: "Money in cents." }, { type: "null" }],
      description: "Own text.",
    },
  ],
  ["", "m: Cents[]", { type: "array", items: { type: "integer", description: "Money in cents." } }],
  [
    "",
    "m: Record<'a', Cents>",
    {
      type: "object",
      properties: { a: { type: "integer", description: "Money in cents." } },
      required: ["a"],
      additionalProperties: false,
    },
  ],
  [
    "",
    "m: Record<string, Cents>",
    { type: "object", additionalProperties: { type: "integer", description: "Money in cents." } },
  ],
  [
    "",
    "m: [Cents, Cents?]",
    {
      anyOf: [
        {
          type: "array",
          items: [
            { type: "integer", description: "Money in cents." },
            { type: "integer", description: "Money in cents." },
          ],
          minItems: 2,
          maxItems: 2,
        },
        {
          type: "array",
          items: [{ type: "integer", description: "Money in cents." }],
          minItems: 1,
          maxItems: 1,
        },
      ],
    },
  ],
  ["", "m: OrderId", { type: "string", pattern: "^ord_" }],
  ["", "m: OrderId[]", { type: "array", items: { type: "string", pattern: "^ord_" } }],
  ["", "m?: integer", { type: "integer" }],
  [
    "",
    "m: Partial<Tagged>",
    { type: TAGGED.type, properties: TAGGED.properties, additionalProperties: false },
  ],
  ["", "m: Required<Readonly<Tagged>>", TAGGED],
  ["", "m: Omit<Tagged & { x?: 1 }, 'x'>", TAGGED],
  ["", "m: { [K in keyof Tagged]: Tagged[K] }", TAGGED],
  ["", "m: Documented", { $ref: "#/definitions/Documented" }],
];

const TYPES = `/** Money in cents.
 * @integer */
type Cents = number;
/** @pattern ^ord_ */
type OrderId = string & { readonly __id: 1 };
type integer = number;
interface Tagged {
  /** @minimum 1 */
  n: number;
}
/** A type of its own.
 * @title Doc
 */
interface Documented { a: 1 }
export type Used = [Cents, OrderId, integer, Documented, Tagged];
`;

describe("a doc comment on a member", () => {
  const files: Record<string, string> = {};
  for (const [at, [doc, member]] of MEMBERS.entries()) {
    const comment = doc === "" ? "" : `/**\n${doc.replace(/^/gm, "   * ")}\n   */`;
    files[`src/tool${at}.ts`] = toolSource(
      `Tool${at}`,
      `${TYPES}\ninterface In {\n  ${comment}\n  ${member};\n}`,
    );
  }
  using program = new Program(files);
  const { artefact } = expectArtefact(program.generate());
  const byClass = new Map(Object.values(artefact.tools).map((tool) => [tool.class, tool]));
  for (const [at, [doc, member, schema]] of MEMBERS.entries()) {
    it(`${JSON.stringify(doc)} on ${member}`, () => {
      const { properties, definitions } = byClass.get(`Tool${at}`)?.input as {
        properties: { m: unknown };
        definitions?: unknown;
      };
      assert.deepEqual(properties.m, schema);
      if (member.includes("Documented")) {
        const documented = {
          type: "object",
          title: "Doc",
          description: "A type of its own.",
          properties: { a: { const: 1, type: "number" } },
          required: ["a"],
          additionalProperties: false,
        };
        assert.deepEqual(definitions, { Documented: documented });
      }
    });
  }
});

const REFUSED: Readonly<Record<string, readonly [doc: string, member: string, about: RegExp]>> = {
  Typo: ["@minLenght 3", "m: string", /did you mean @minLength/],
  Case: ["@maxitems 3", "m: string[]", /did you mean @maxItems/],
  Unknown: ["@remarks text", "m: string", /@remarks is not a tag/],
  Enum: ['@enum ["x"]', "m: string", /@enum/],
  JsType: ["@type {string}", "m: string", /@type/],
  Ignore: ["@ignore", "m: string", /@ignore/],
  Nullable: ["@nullable", "m: string", /@nullable/],
  Reference: ["@$ref foo", "m: string", /\$ref/],
  TjsOther: ["@TJS-format email", "m: string", /@TJS-format/],
  AsTypeOther: ["@asType string", "m: number", /@asType/],
  TrailingText: ["@minimum 1 the least", "m: number", /@minimum must be a number and nothing else/],
  MultiLine: ["@minimum 1\n  more text", "m: number", /@minimum/],
  NoValue: ["@maximum", "m: number", /@maximum/],
  NotJson: ["@minimum 0x10", "m: number", /@minimum/],
  Infinite: ["@maximum 1e999", "m: number", /@maximum/],
  NegativeLength: ["@minLength -1", "m: string", /whole number/],
  FractionLength: ["@maxItems 1.5", "m: string[]", /whole number/],
  ZeroMultiple: ["@multipleOf 0", "m: number", /above 0/],
  IntegerWithValue: ["@integer 5", "m: number", /takes no value/],
  WrongKind: ["@minimum 3", "m: string", /does not apply to string/],
  OnLiterals: ["@minLength 1", "m: 'a' | 'b'", /does not apply/],
  OnTuple: ["@minItems 1", "m: [string]", /does not apply to a tuple/],
  OnObject: ["@minLength 1", "m: { a: string }", /does not apply to an object/],
  OnUnknown: ["@minimum 1", "m: unknown", /does not apply/],
  ItemsOfNoArray: ["@items.minimum 1", "m: number", /does not apply/],
  ItemsWrongKind: ["@items.minimum 1", "m: string[]", /does not apply to string/],
  ItemsUnknown: ["@items.minimun 1", "m: number[]", /did you mean @items.minimum/],
  BadPattern: ["@pattern (", "m: string", /@pattern/],
  SlowPattern: ["@pattern ^(?=a)b$", "m: string", /@pattern/],
  PatternOnTemplate: ["@pattern ^a", "m: `b${string}`", /template literal/],
  BadFormat: ["@format emial", "m: string", /did you mean email/],
  NumberFormat: ["@format int32", "m: number", /@format/],
  Bounds: ["@minimum 2\n@maximum 1", "m: number", /leave no value/],
  StrictBounds: ["@minimum 2\n@exclusiveMaximum 2", "m: number", /leave no value/],
  Twice: ["@minimum 1\n@minimum 2", "m: number", /twice/],
  TwoSpellings: ["@integer\n@TJS-type integer", "m: number", /twice/],
  ExamplesTwice: ["@examples a\n@examples b", "m: string", /@examples/],
  ExamplesNoArray: ['@examples "a"', "m: string", /array/],
  ExamplesWrong: ['@examples ["a", 1]', "m: string", /@examples, 1, is not of the type/],
  DefaultWrong: ["@default 5", "m?: string", /@default, 5, is not of the type/],
  DefaultBare: ["@default foo", "m?: string", /@default is not JSON/],
  DefaultOutOfBounds: ["@default 5\n@maximum 4", "m?: number", /@default, 5/],
  DefaultInside: ['@default {"a": {"b": 1}}', "m?: { a: { b: string } }", /@default/],
  DefaultProto: ['@default {"__proto__": 1}', "m?: Record<string, number>", /@default/],
  DefaultDuplicate: ['@default {"a": 1, "a": 2}', "m?: Record<string, number>", /@default/],
  DefaultCode: ['@default require("./witness.cjs").x', "m?: { a: number }", /run code/],
  DefaultBareCode: ["@default require('./witness.cjs')", "m?: string", /run code/],
  MinimumCode: ['@minimum require("./witness.cjs").x', "m: number", /@minimum/],
  PatternConflict: ["@minimum 5", "m: Cents", /@minimum/],
  PatternConflictInside: ["@minimum 5", "m: Cents | null", /@minimum/],
  ItemsConflict: ["@items.minimum 5", "m: Cents[]", /@items.minimum/],
  TitleEmpty: ["@title", "m: string", /@title/],
};

describe("a doc comment that would be lost, misread or evaluated is refused", () => {
  const types = "/** @minimum 1 */\ntype Cents = number;\nexport type Used = Cents;\n";
  const files: Record<string, string> = {
    "src/witness.cjs": 'require("node:fs").writeFileSync(__dirname + "/ran", ""); exports.x = 1;',
  };
  for (const [name, [doc, member]] of Object.entries(REFUSED)) {
    files[`src/${name}.ts`] = toolSource(
      name,
      `${types}interface In {\n  /**\n${doc.replace(/^/gm, "   * ")}\n   */\n  ${member};\n}`,
    );
  }
  using program = new Program(files);
  const problems = expectProblems(program.generate());
  for (const [name, [doc, member, about]] of Object.entries(REFUSED)) {
    it(`${JSON.stringify(doc)} on ${member}`, () => {
      const own = problems.filter(({ tool }) => tool === name);
      assert.ok(
        own.some(({ path, message }) => path === "input.m" && about.test(message)),
        JSON.stringify(own, null, 2),
      );
    });
  }
  const ran = existsSync(join(program.folder, "src/ran"));
  it("and no module named in a doc comment was run", () => {
    assert.equal(ran, false);
  });
});
