import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import type { JsonSchema, JsonValue } from "#salvor/contract/json.js";
import type { Judge, Violation } from "#salvor/contract/validator.js";
import { compileStrict, judgeUntrusted, SchemaError } from "#salvor/schema/index.js";

/** Takes exponentially long: each level is judged twice by the next. */
const BRANCHES = {
  $defs: {
    node: {
      anyOf: [
        { properties: { a: { $ref: "#/$defs/node" } }, required: ["b"] },
        { properties: { a: { $ref: "#/$defs/node" } }, required: ["c"] },
      ],
    },
  },
  $ref: "#/$defs/node",
};

function nested(levels: number): JsonValue {
  let value: JsonValue = {};
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

/** Judges, and counts how often this thread's event loop came round meanwhile. */
async function judgeCountingTurns(
  judge: Judge,
  value: JsonValue,
): Promise<{ readonly violations: readonly Violation[]; readonly turns: number }> {
  let turns = 0;
  let running = true;
  const turn = () => {
    turns += 1;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    const verdict = judge(value);
    assert.ok(verdict instanceof Promise, "judged on this thread");
    return { violations: await verdict, turns };
  } finally {
    running = false;
  }
}

describe("what is quick is judged at once", () => {
  const declared: JsonSchema = {
    type: "object",
    required: ["order_id", "amount_cents"],
    properties: {
      order_id: { type: "string", pattern: "^ord_[a-z0-9]{1,20}$" },
      amount_cents: { type: "integer", minimum: 1 },
      lines: { type: "array", items: { type: "object", properties: { sku: { type: "string" } } } },
    },
  };

  it("a call of the usual kind", () => {
    const violations = compileStrict(declared)({ order_id: "ord_1", amount_cents: 5, lines: [{ sku: "a" }] });
    assert.deepEqual(violations, []);
  });

  it("a text that is refused by a pattern that would backtrack for ever", () => {
    const violations = compileStrict({ type: "string", pattern: "^(a+)+$" })(`${"a".repeat(40)}!`);
    assert.ok(Array.isArray(violations));
    assert.equal(violations.length, 1);
  });
});

describe("what may be slow never holds up the event loop", () => {
  const slow: readonly (readonly [name: string, schema: JsonSchema, value: () => JsonValue])[] = [
    [
      "a long text under a pattern",
      { type: "string", pattern: "^(a+)+$" },
      () => `${"a".repeat(1_000_000)}!`,
    ],
    [
      "a text under a large pattern",
      { type: "string", pattern: "(a?){300}b.{300}$" },
      () => "ab".repeat(500),
    ],
    [
      "many keys under a pattern",
      { patternProperties: { "(x+x+)+y": {} } },
      () => Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`x${at}`, at])),
    ],
    [
      "many items that must differ",
      { uniqueItems: true },
      () => Array.from({ length: 10_000 }, (_, at) => ({ a: at })),
    ],
    ["alternatives inside alternatives", BRANCHES, () => nested(22)],
    ["a format that backtracks", { format: "url" }, () => `http://${":@".repeat(50_000)}`],
    [
      "a key of millions of characters",
      { additionalProperties: { items: { type: "string" } } },
      () => ({ ["~".repeat(2_000_000)]: Array<JsonValue>(1000).fill(1) }),
    ],
  ];

  for (const [name, schema, makeValue] of slow) {
    it(name, async () => {
      const judge = compileStrict(schema);
      const value = makeValue();
      const { turns } = await judgeCountingTurns(judge, value);
      assert.ok(turns > 1, `the event loop came round ${turns} times`);
    });
  }

  it("refuses what is not judged by its deadline, and goes on with what follows", async () => {
    const judge = compileStrict(BRANCHES, { deadlineMs: 50 });
    const { violations, turns } = await judgeCountingTurns(judge, nested(100));
    assert.deepEqual(violations, [
      { path: "$", message: "expected a value that can be judged: judging it took longer than 50 ms" },
    ]);
    assert.ok(turns > 10, `the event loop came round ${turns} times`);
    const patient = compileStrict(BRANCHES, { deadlineMs: 20_000 });
    assert.deepEqual(await patient({ b: 1, c: 1 }), []);
  });

  it("answers many at once, each with its own verdict", async () => {
    const judge = compileStrict({ type: "string", pattern: "^(a+)+$" }, { deadlineMs: 20_000 });
    const texts = Array.from({ length: 12 }, (_, at) => "a".repeat(100_000 + at) + (at % 3 === 0 ? "!" : ""));
    const verdicts = await Promise.all(texts.map(async (text) => (await judge(text)).length === 0));
    assert.deepEqual(
      verdicts,
      texts.map((text) => !text.endsWith("!")),
    );
  });

  it("refuses what takes too much memory to judge, and goes on with what follows", async () => {
    const alternatives = Array<JsonSchema>(200).fill({ required: ["missing"] });
    const judge = compileStrict(
      {
        $defs: {
          n: {
            anyOf: [
              ...alternatives,
              { properties: { a: { $ref: "#/$defs/n" } }, required: ["b"] },
              { properties: { a: { $ref: "#/$defs/n" } }, required: ["c"] },
            ],
          },
        },
        $ref: "#/$defs/n",
      },
      { deadlineMs: 120_000 },
    );
    const [violation] = await judge(nested(60));
    assert.match(violation?.message ?? "", /MiB of memory/);
    assert.deepEqual(await judge({ missing: 1 }), []);
  });

  it("refuses a value that is no plain data instead of throwing", async () => {
    const judge = compileStrict(BRANCHES);
    const [violation] = await judge({ a: (() => 1) as unknown as JsonValue });
    assert.match(violation?.message ?? "", /expected a value that can be judged/);
    assert.deepEqual(await compileStrict(BRANCHES, { deadlineMs: 20_000 })({ b: 1 }), []);
  });
});

describe("values that are not judged at all", () => {
  const judge = compileStrict({});

  for (const [name, value, expected] of [
    ["too many items", Array<JsonValue>(60_000).fill(1), /at most 50000 members and items/],
    [
      "too many members",
      Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`k${at}`, 1])),
      /at most 50000/,
    ],
    ["too deep", nested(200), /at most 128 levels/],
    ["too long", "x".repeat(9 * 1024 * 1024), /at most 8388608 characters/],
  ] as const) {
    it(name, async () => {
      const violations = await judge(value);
      assert.equal(violations.length, 1);
      assert.match(violations[0]?.message ?? "", expected);
    });
  }

  it("the largest that is", async () => {
    assert.deepEqual(await judge(Array<JsonValue>(49_999).fill(1)), []);
    assert.deepEqual(await judge(nested(127)), []);
  });
});

describe("a schema that nobody here wrote", () => {
  const patient = { deadlineMs: 20_000 };

  it("is compiled and judged elsewhere", async () => {
    const schema = { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] };
    assert.deepEqual(await judgeUntrusted(schema, { approved: true }, patient), []);
    assert.deepEqual(await judgeUntrusted(schema, { approved: "yes" }, patient), [
      { path: "$.approved", message: 'expected true or false, found "yes"' },
    ]);
  });

  it("may hold what strict schemas may not", async () => {
    assert.deepEqual(await judgeUntrusted({ "x-form": "wide", format: "iban" }, "a", patient), []);
  });

  for (const [name, schema, problem] of [
    ["no schema", { type: "dict" }, /\$\.type.*"dict"/],
    ["a pattern that looks ahead", { pattern: "(?=a)" }, /looks around/],
    ["larger than such a schema may be", { description: "x".repeat(70_000) }, /larger than the 65536/],
    ["a reference elsewhere", { $ref: "https://example.com/a" }, /leads out/],
  ] as const) {
    it(`is refused when it is ${name}`, async () => {
      await assert.rejects(judgeUntrusted(schema, 1), (error) => {
        assert.ok(error instanceof SchemaError);
        assert.match(error.message, problem);
        return true;
      });
    });
  }

  it("is held to the deadline", async () => {
    const [violation] = await judgeUntrusted(BRANCHES, nested(100), { deadlineMs: 50 });
    assert.match(violation?.message ?? "", /longer than 50 ms/);
  });

  it("with one $id in two of them never meets the other", async () => {
    const id = "https://example.com/same";
    assert.deepEqual(await judgeUntrusted({ $id: id, type: "string" }, "a", patient), []);
    assert.deepEqual(await judgeUntrusted({ $id: id, type: "number" }, 1, patient), []);
  });
});

describe("the threads that judge", () => {
  it("let the process end", async () => {
    const program = `
      import { judgeUntrusted } from "#salvor/schema/index.js";
      console.log(JSON.stringify(await judgeUntrusted({ type: "string" }, 1, { deadlineMs: 60000 })));
    `;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", program],
      {
        timeout: 60_000,
      },
    );
    assert.match(stdout, /expected text, found 1/);
  });
});
