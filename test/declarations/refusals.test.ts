import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DeclarationError, parseDeclaration, renderProblem } from "#salvor/declarations/index.js";

interface Refusal {
  readonly name: string;
  /** Lines of the file. */
  readonly text: readonly string[];
  /** What `salvor check` prints, with the line and column where they are known. */
  readonly problems: readonly string[];
}

const HEAD = ['name = "refund"', 'effect = "write"'];
const INPUT = ["[input_schema]", 'type = "object"', 'required = ["a", "b"]'];
const OUTPUT = ["[output_schema]", 'type = "object"', 'required = ["a"]'];

const refusals: readonly Refusal[] = [
  {
    name: "an unknown key, with what was probably meant",
    text: [...HEAD, "trust_completions = true", ...INPUT],
    problems: ["t.toml:3:1: unknown key trust_completions - did you mean trust_completion?"],
  },
  {
    name: "an unknown key that resembles nothing",
    text: [...HEAD, 'command = "rm"', ...INPUT],
    problems: [
      "t.toml:3:1: unknown key command - leave it out; the keys are name, effect, trust_completion, require_equal, idempotency_key, description, title, input_schema, output_schema, input_schema_path, output_schema_path",
    ],
  },
  {
    name: "an unknown table",
    text: [...HEAD, ...INPUT, "", '["input schema"]', "a = 1"],
    problems: ['t.toml:7:1: unknown key "input schema" - did you mean input_schema?'],
  },
  {
    name: "nothing at all, all that is missing at once",
    text: [""],
    problems: [
      't.toml: name is missing - write name = "refund_card"',
      't.toml: effect is missing - write effect = one of "read", "idempotent", "write"',
      't.toml: input_schema is missing - write [input_schema] with type = "object"',
    ],
  },
  {
    name: "an effect outside the three",
    text: [HEAD[0]!, 'effect = "writes"', ...INPUT],
    problems: [
      't.toml:2:1: effect is "writes" - write one of "read", "idempotent", "write"; did you mean "write"?',
    ],
  },
  {
    name: "an effect of another type",
    text: [HEAD[0]!, 'effect = ["write"]', ...INPUT],
    problems: ['t.toml:2:1: effect is an array - write text: effect = "..."'],
  },
  {
    name: "an empty name",
    text: ['name = ""', HEAD[1]!, ...INPUT],
    problems: ["t.toml:1:1: name is empty - write 1 to 64 letters, digits, _ or -"],
  },
  {
    name: "a name that a model's interface would refuse",
    text: ['name = "refund card"', HEAD[1]!, ...INPUT],
    problems: ['t.toml:1:1: name is "refund card" - write 1 to 64 letters, digits, _ or -'],
  },
  {
    name: "a name that is too long",
    text: [`name = "${"n".repeat(65)}"`, HEAD[1]!, ...INPUT],
    problems: [`t.toml:1:1: name is "${"n".repeat(65)}" - write 1 to 64 letters, digits, _ or -`],
  },
  {
    name: "a name of another type",
    text: ["name = 7", HEAD[1]!, ...INPUT],
    problems: ['t.toml:1:1: name is 7 - write text: name = "..."'],
  },
  {
    name: "trust that is text",
    text: [...HEAD, 'trust_completion = "true"', ...INPUT],
    problems: ['t.toml:3:1: trust_completion is the text "true" - write true or false'],
  },
  {
    name: "a description and a title of another type",
    text: [...HEAD, "description = 1", "title = {}", ...INPUT],
    problems: [
      't.toml:3:1: description is 1 - write text: description = "..."',
      't.toml:4:1: title is a table - write text: title = "..."',
    ],
  },
  {
    name: "a schema that is no table",
    text: [...HEAD, 'input_schema = "object"', "output_schema = true"],
    problems: [
      't.toml:3:1: input_schema is the text "object" - write a table: [input_schema]',
      "t.toml:4:1: output_schema is true - write a table: [output_schema]",
    ],
  },
  {
    name: "a type that JSON Schema does not have, at its place",
    text: [...HEAD, ...INPUT, "[input_schema.properties.a]", 'description = "d"', 'type = "dict"'],
    problems: [
      't.toml:8:1: input_schema.properties.a.type: expected one of "array", "boolean", "integer", "null", "number", "object", "string", found "dict" - correct the schema (docs/declarations.md, "Schemas")',
    ],
  },
  {
    name: "a misspelled keyword in a schema",
    text: [...HEAD, ...INPUT, "[input_schema.properties]", "a = { minimun = 1 }"],
    problems: [
      't.toml:7:7: input_schema.properties.a.minimun: unknown keyword in 2020-12; did you mean "minimum"? - correct the schema (docs/declarations.md, "Schemas")',
    ],
  },
  {
    name: "a dialect that is not supported",
    text: [...HEAD, "[input_schema]", '"$schema" = "http://json-schema.org/draft-04/schema#"'],
    problems: [
      't.toml:4:1: input_schema."$schema": "http://json-schema.org/draft-04/schema#" is not a dialect that is supported; write one of http://json-schema.org/draft-07/schema, https://json-schema.org/draft/2019-09/schema, https://json-schema.org/draft/2020-12/schema, or leave it out for 2020-12 - correct the schema (docs/declarations.md, "Schemas")',
    ],
  },
  {
    name: "a pattern that cannot run in linear time",
    text: [...HEAD, ...INPUT, "[input_schema.properties.a]", "pattern = '^(?=.*[0-9])'"],
    problems: [
      't.toml:7:1: input_schema.properties.a.pattern: the pattern "^(?=.*[0-9])": (?= looks around, which takes more than linear time - correct the schema (docs/declarations.md, "Schemas")',
    ],
  },
  {
    name: "a pinned field that neither schema requires",
    text: [...HEAD, 'require_equal = ["c"]', ...INPUT, ...OUTPUT],
    problems: [
      't.toml:3:18: require_equal names "c", which is not in input_schema.required - add "c" to required in [input_schema]',
      't.toml:3:18: require_equal names "c", which is not in output_schema.required - add "c" to required in [output_schema]',
    ],
  },
  {
    name: "a pinned field that the output does not require",
    text: [...HEAD, 'require_equal = ["a", "b"]', ...INPUT, ...OUTPUT],
    problems: [
      't.toml:3:23: require_equal names "b", which is not in output_schema.required - add "b" to required in [output_schema]',
    ],
  },
  {
    name: "pinned fields without an output schema",
    text: [...HEAD, 'require_equal = ["a"]', ...INPUT],
    problems: [
      't.toml:3:1: require_equal is given, but output_schema is missing - write [output_schema] with type = "object" and required = ["a"]',
    ],
  },
  {
    name: "pinned fields under an output that may be anything",
    text: [...HEAD, 'require_equal = ["a"]', ...INPUT, "[output_schema]", 'required = ["a"]'],
    problems: [
      't.toml:7:1: output_schema has no type, but require_equal needs an object - write type = "object" in [output_schema]',
    ],
  },
  {
    name: "fields under an input of several types",
    text: [
      ...HEAD,
      'require_equal = ["a"]',
      'idempotency_key = ["b"]',
      "[input_schema]",
      'type = ["object", "array"]',
      'required = ["a", "b"]',
      ...OUTPUT,
    ],
    problems: [
      't.toml:6:1: input_schema has type ["object","array"], but require_equal and idempotency_key need an object - write type = "object" in [input_schema]',
    ],
  },
  {
    name: "a key field that is not required",
    text: [...HEAD, 'idempotency_key = ["a", "c"]', ...INPUT],
    problems: [
      't.toml:3:25: idempotency_key names "c", which is not in input_schema.required - add "c" to required in [input_schema]',
    ],
  },
  {
    name: "a key field that is required only by inheritance",
    text: [...HEAD, 'idempotency_key = ["toString"]', "[input_schema]", 'type = "object"'],
    problems: [
      't.toml:3:20: idempotency_key names "toString", which is not in input_schema.required - add "toString" to required in [input_schema]',
    ],
  },
  ...["run", "tool", "seq"].map((field) => ({
    name: `a key field called ${field}`,
    text: [
      ...HEAD,
      `idempotency_key = ["${field}"]`,
      "[input_schema]",
      'type = "object"',
      `required = ["${field}"]`,
    ],
    problems: [
      `t.toml:3:20: idempotency_key names the field "${field}", which stands for the call itself - rename the field; run, tool, seq are reserved`,
    ],
  })),
  {
    name: "lists of fields that are no lists of text, empty or double",
    text: [...HEAD, 'idempotency_key = "a"', 'require_equal = ["a", "", 3, "a"]', ...INPUT, ...OUTPUT],
    problems: [
      't.toml:3:1: idempotency_key is the text "a" - write a list of field names: idempotency_key = ["amount_cents"]',
      't.toml:4:23: require_equal[1] is empty - write a list of field names: require_equal = ["amount_cents"]',
      't.toml:4:27: require_equal[2] is 3 - write a list of field names: require_equal = ["amount_cents"]',
      't.toml:4:30: require_equal names "a" twice - name each field once',
    ],
  },
  ...(
    [
      ["an offset date-time", "1979-05-27T07:32:00Z", "1979-05-27T07:32:00Z"],
      ["a local date-time", "1979-05-27T07:32:00", "1979-05-27T07:32:00"],
      ["a date-time with a space", "1979-05-27 07:32:00", "1979-05-27T07:32:00"],
      ["a local date", "1979-05-27", "1979-05-27"],
      ["a local time", "07:32:00", "07:32:00"],
    ] as const
  ).map(([name, written, shown]) => ({
    name: `${name} in a schema`,
    text: [...HEAD, ...INPUT, `properties.a.enum = ["x", ${written}]`],
    problems: [
      `t.toml:6:27: input_schema.properties.a.enum[1] is a date (${shown}), which JSON does not have - write it as text: "${shown}"`,
    ],
  })),
  {
    name: "numbers that JSON cannot carry",
    text: [
      ...HEAD,
      ...INPUT,
      "[input_schema.properties]",
      "a.minimum = -inf",
      "a.maximum = nan",
      "b.const = 9007199254740993",
      "b.maximum = 1e300",
    ],
    problems: [
      "t.toml:7:3: input_schema.properties.a.minimum is infinite, which JSON does not have - write a number, or leave the bound out",
      "t.toml:8:3: input_schema.properties.a.maximum is nan, which JSON does not have - write a number",
      "t.toml:9:3: input_schema.properties.b.const is 9007199254740993, an integer beyond 2^53-1 that would be rounded - write an integer within -9007199254740991 and 9007199254740991",
      "t.toml:10:3: input_schema.properties.b.maximum is 1e+300, an integer beyond 2^53-1 that would be rounded - write an integer within -9007199254740991 and 9007199254740991",
    ],
  },
  {
    name: "an integer that TOML does not have either",
    text: [...HEAD, ...INPUT, "properties.a.const = 99999999999999999999"],
    problems: [
      "t.toml:6:22: not TOML: Integer literal is outside the 64-bit signed integer range required by TOML. - correct the TOML (https://toml.io/en/v1.0.0)",
    ],
  },
  {
    name: "a key that stands twice",
    text: [...HEAD, ...INPUT, 'type = "array"'],
    problems: [
      "t.toml:6:1: not TOML: Cannot redefine existing key 'input_schema.type'. - correct the TOML (https://toml.io/en/v1.0.0)",
    ],
  },
  {
    name: "__proto__ as a key",
    text: [...HEAD, ...INPUT, "[input_schema.properties.__proto__]", 'type = "string"'],
    problems: ["t.toml:6:1: input_schema.properties.__proto__ is not accepted as a key - use another name"],
  },
  {
    name: "nesting over 64 levels",
    text: [...HEAD, ...INPUT, `[input_schema${".not".repeat(70)}]`],
    problems: [
      "t.toml:3:1: input_schema is nested over 64 levels - keep schemas flatter, with $ref to $defs",
    ],
  },
  {
    name: "a schema path that is no name of a JSON file beside",
    text: [...HEAD, 'input_schema_path = "../a.json"', "output_schema_path = 3"],
    problems: [
      't.toml:3:1: input_schema_path is "../a.json" - name a .json file in the folder of the declaration, without a path',
      't.toml:4:1: output_schema_path is not text - write "output_schema.json"',
    ],
  },
  {
    name: "a schema and a path to one",
    text: [...HEAD, 'input_schema_path = "a.json"', ...INPUT],
    problems: ["t.toml:3:1: input_schema and input_schema_path are both given - keep one of them"],
  },
];

describe("a declaration is refused, naming file, line, column, key and what to write", () => {
  for (const { name, text, problems } of refusals) {
    it(name, () => {
      const error = refusalOf(text.join("\n"));
      assert.deepEqual(error.problems.map(renderProblem), problems);
      assert.equal(error.message, problems.join("\n"));
      assert.equal(error.code, "declaration_refused");
    });
  }

  it("text that is no TOML, where it stops being it", () => {
    const [problem] = refusalOf('name = "a"\neffect = \n').problems;
    assert.deepEqual([problem?.line, problem?.column], [2, 10]);
    assert.match(problem?.what ?? "", /^not TOML: Expected /);
  });

  it("with every problem of the file at once", () => {
    const { problems } = refusalOf(
      [
        'efect = "write"',
        'name = ""',
        "[input_schema]",
        "minimum = 2020-01-01",
        "[output_schema]",
        'type = "dict"',
      ].join("\n"),
    );
    assert.deepEqual(
      problems.map(({ line, key }) => [line, key]),
      [
        [undefined, "effect"],
        [1, "efect"],
        [2, "name"],
        [4, "input_schema.minimum"],
        [6, "output_schema.type"],
      ],
    );
  });
});

function refusalOf(text: string): DeclarationError {
  try {
    parseDeclaration(text, "t.toml");
  } catch (error) {
    if (error instanceof DeclarationError) return error;
    throw error;
  }
  return assert.fail("the declaration was accepted");
}
