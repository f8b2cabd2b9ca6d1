import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import {
  HandlerFailed,
  InvalidInput,
  OutputSerialization,
  RegistryError,
  Tool,
  ToolSet,
  UnknownOutcomeError,
  type DynTool,
  type Effect,
  type OwnSchemas,
  type StandardSchema,
  type ToolCtx,
  type ToolHandler,
} from "#salvor/index.js";
import { ctxOf } from "./ctx.js";

const NONE = { formatVersion: 1, generator: {}, inputs: {}, tools: {} };

/** A tool whose handler is a function, with schemas of its own. Their types are compared in right-uses.ts and wrong-uses.ts. */
function toolOf(
  own: OwnSchemas,
  call: (ctx: ToolCtx, input: never) => unknown = () => null,
  effect: Effect = "read",
  more: Partial<ToolHandler<object, unknown>> = {},
): DynTool {
  @Tool(effect, { name: "ship", description: "Ships." })
  class Ship implements ToolHandler<object, unknown> {
    readonly idempotencyKey?: (input: object) => string;
    constructor() {
      Object.assign(this, more);
    }
    call(ctx: ToolCtx, input: object): unknown {
      return call(ctx, input as never);
    }
  }
  const tool = new ToolSet(NONE).register(new Ship(), own).get("ship");
  assert.ok(tool !== undefined);
  return tool;
}

const JSON_SCHEMA = { type: "object", properties: { count: { type: "number" } } };

/** The same three times: an id, and a count that is 1 when nobody says it. */
const LIBRARIES: Readonly<Record<string, OwnSchemas>> = {
  zod: {
    inputSchema: z.object({ id: z.string(), count: z.number().min(1).default(1) }),
    outputSchema: z.object({ shipped: z.number().default(0) }),
  },
  arktype: {
    inputSchema: type({ id: "string", count: "number >= 1 = 1" }),
    outputSchema: type({ shipped: "number = 0" }),
  },
  valibot: {
    inputSchema: v.object({ id: v.string(), count: v.optional(v.pipe(v.number(), v.minValue(1)), 1) }),
    outputSchema: v.object({ shipped: v.optional(v.number(), 0) }),
    inputJsonSchema: { type: "object", required: ["id"], properties: { id: { type: "string" } } },
    outputJsonSchema: { type: "object", properties: { shipped: { type: "number" } } },
  },
};

for (const [library, own] of Object.entries(LIBRARIES)) {
  describe(`a handler with schemas of ${library}`, () => {
    it("gets what the schema makes of the input, while the input itself stays as it came", async () => {
      let seen: unknown;
      const tool = toolOf(own, (_ctx, input) => ((seen = input), {}));
      const input = { id: "a" };
      await tool.callJson(ctxOf(), input);
      assert.deepEqual(JSON.parse(JSON.stringify(seen)), { id: "a", count: 1 });
      assert.deepEqual(input, { id: "a" });
    });

    it("answers what it returned, with nothing added to it", async () => {
      const tool = toolOf(own, () => ({}));
      assert.deepEqual(await tool.callJson(ctxOf(), { id: "a" }), { outcome: "output", output: {} });
    });

    it("is described by what goes in, before anything is made of it", () => {
      const { inputSchema, outputSchema } = toolOf(own);
      assert.deepEqual(inputSchema.required, ["id"]);
      assert.deepEqual([inputSchema.type, outputSchema?.type], ["object", "object"]);
      assert.ok(!Object.hasOwn(outputSchema ?? {}, "required"));
      assert.ok(Object.isFrozen(inputSchema.properties));
    });

    it("never runs with an input that the schema refuses, and each place is named", async () => {
      let ran = false;
      const tool = toolOf(own, () => (ran = true), "write");
      await assert.rejects(tool.callJson(ctxOf(), { id: 7, count: 0 }), (error: unknown) => {
        assert.ok(error instanceof InvalidInput);
        assert.deepEqual(error.violations.map(({ path }) => path).sort(), ["$.count", "$.id"]);
        assert.ok(error.violations.every(({ message }) => message.length > 5));
        return true;
      });
      assert.equal(ran, false);
    });

    it("fails with an output that the schema refuses; of a write the outcome is unknown then", async () => {
      const bad = () => ({ shipped: "one" });
      await assert.rejects(toolOf(own, bad).callJson(ctxOf(), { id: "a" }), (error: unknown) => {
        assert.ok(error instanceof OutputSerialization);
        assert.deepEqual(
          error.violations.map(({ path }) => path),
          ["$.shipped"],
        );
        return true;
      });
      await assert.rejects(
        toolOf(own, bad, "write").callJson(ctxOf(), { id: "a" }),
        (error: unknown) =>
          error instanceof UnknownOutcomeError && error.cause instanceof OutputSerialization,
      );
    });
  });
}

/** A schema that answers whatever a test wants. */
function answering(validate: (value: unknown) => unknown): StandardSchema {
  return { "~standard": { version: 1, vendor: "test", validate: validate as never } };
}
const input = (validate: (value: unknown) => unknown): OwnSchemas => ({
  inputSchema: answering(validate),
  inputJsonSchema: JSON_SCHEMA,
});
const outputOf = (validate: (value: unknown) => unknown): OwnSchemas => ({
  inputSchema: JSON_SCHEMA,
  outputSchema: answering(validate),
  outputJsonSchema: { type: "number" },
});

describe("a Standard Schema of any kind", () => {
  it("may take its time, on both sides", async () => {
    const later = (value: unknown) => Promise.resolve({ value: { got: value } });
    let seen: unknown;
    await toolOf(input(later), (_ctx, given) => ((seen = given), 1)).callJson(ctxOf(), { count: 2 });
    assert.deepEqual(seen, { got: { count: 2 } });
    const checked = z.number().refine((value) => Promise.resolve(value > 3), "too few");
    const tool = toolOf({ inputSchema: JSON_SCHEMA, outputSchema: checked }, (_ctx, { count }) => count);
    assert.deepEqual(await tool.callJson(ctxOf(), { count: 4 }), { outcome: "output", output: 4 });
    await assert.rejects(tool.callJson(ctxOf(), { count: 3 }), /\$: too few/);
  });

  it("hands the handler what is no JSON, where it makes that of the input", async () => {
    const own = { inputSchema: z.object({ day: z.string().transform((text) => new Date(text)) }) };
    const tool = toolOf(own, (_ctx, { day }: { day: Date }) => day.getUTCFullYear());
    assert.deepEqual(await tool.callJson(ctxOf(), { day: "2026-01-02" }), {
      outcome: "output",
      output: 2026,
    });
  });

  it("gives no attempt what the schema or the handler did to the one before", async () => {
    const seen: unknown[] = [];
    const own = input((value) => {
      (value as { count: number }).count += 1;
      return { value };
    });
    const tool = toolOf(own, (_ctx, given: { count: number }) => (seen.push(given.count), (given.count = 9)));
    const given = Object.freeze({ count: 1 });
    await tool.callJson(ctxOf(), given);
    await tool.callJson(ctxOf({ attempt: 2 }), given);
    assert.deepEqual([seen, given], [[2, 2], { count: 1 }]);
  });

  it("lets the key follow from the input as it came, which is what is recorded", async () => {
    let key: string | undefined;
    const own = { inputSchema: z.object({ id: z.string().transform((text) => text.trim()) }) };
    const tool = toolOf(own, (ctx) => ((key = ctx.idempotencyKey), 1), "write", {
      idempotencyKey: (given) => (given as { id: string }).id,
    });
    await tool.callJson(ctxOf(), { id: " a " });
    assert.deepEqual([key, tool.idempotencyKey?.({ id: " a " })], ["ship: a ", "ship: a "]);
  });

  const nonsense: Readonly<Record<string, () => unknown>> = {
    throws: () => {
      throw new Error("boom");
    },
    rejects: () => Promise.reject(new Error("boom")),
    "throws what is no error": () => {
      throw Object.create(null);
    },
    "answers nothing": () => undefined,
    "answers neither a value nor issues": () => ({}),
    "answers a number": () => 7,
    "answers a promise of nothing": () => Promise.resolve(null),
    "refuses without an issue": () => ({ issues: [] }),
    "refuses with what is no list": () => ({ issues: "all of it" }),
    "refuses with issues that are none": () => ({ issues: [null, 7, { message: 3, path: "a.b" }] }),
    "refuses with a hostile path": () => ({
      issues: [{ message: "\ud800".repeat(5_000), path: Array(5_000).fill({ key: "x".repeat(500) }) }],
    }),
    "has issues whose getter throws": () => ({
      get issues() {
        throw new Error("boom");
      },
    }),
    "has a then that throws": () => ({
      get then() {
        throw new Error("boom");
      },
    }),
  };
  for (const [what, answer] of Object.entries(nonsense)) {
    it(`accepts no input when it ${what}`, async () => {
      let ran = false;
      const tool = toolOf(input(answer), () => (ran = true), "write");
      await assert.rejects(tool.callJson(ctxOf(), { count: 1 }), (error: unknown) => {
        assert.ok(error instanceof InvalidInput);
        assert.ok(
          error.violations.length > 0 && error.message.length < 20_000 && error.message.isWellFormed(),
        );
        return true;
      });
      assert.equal(ran, false);
    });

    it(`accepts no output when it ${what}`, async () => {
      await assert.rejects(toolOf(outputOf(answer)).callJson(ctxOf(), {}), OutputSerialization);
      await assert.rejects(
        toolOf(outputOf(answer), () => 1, "write").callJson(ctxOf(), {}),
        UnknownOutcomeError,
      );
    });
  }

  it("names places by the keys and indexes of its issues, also where a key is a strange one", async () => {
    const paths = [["lines", 2, { key: "a b" }], ["__proto__", "constructor"], [Symbol("s")], undefined];
    const tool = toolOf(input(() => ({ issues: paths.map((path) => ({ message: "no", path })) })));
    await assert.rejects(tool.callJson(ctxOf(), {}), (error: InvalidInput) => {
      assert.deepEqual(
        error.violations.map(({ path }) => path),
        ['$.lines[2]["a b"]', "$.__proto__.constructor", '$["Symbol(s)"]', "$"],
      );
      return true;
    });
    assert.equal(({} as { readonly no?: unknown }).no, undefined);
  });

  it("reports 100 issues at most", async () => {
    const tool = toolOf(input(() => ({ issues: Array(5_000).fill({ message: "no" }) })));
    await assert.rejects(
      tool.callJson(ctxOf(), {}),
      (error: InvalidInput) => error.violations.length === 100,
    );
  });

  const never = () => new Promise(() => undefined);
  for (const effect of ["read", "idempotent", "write"] as const) {
    it(`that never answers about the input ends with the call: a ${effect} has definitely failed, for it never ran`, async () => {
      const giving = new AbortController();
      const tool = toolOf(input(never), () => assert.fail("it ran"), effect);
      const call = tool.callJson(ctxOf({ signal: giving.signal }), {});
      giving.abort(new Error("the caller left"));
      await assert.rejects(call, (error: unknown) => {
        assert.ok(error instanceof HandlerFailed && error.definite);
        assert.match(error.message, /the handler never ran/);
        return true;
      });
      await assert.rejects(tool.callJson(ctxOf({ signal: giving.signal }), {}), HandlerFailed);
    });
  }

  it("that never answers about the output ends with the call, and leaves the outcome of a write unknown", async () => {
    for (const [effect, failure] of [
      ["read", HandlerFailed],
      ["write", UnknownOutcomeError],
    ] as const) {
      const giving = new AbortController();
      const reason = new Error("the caller left");
      const tool = toolOf(outputOf(never), () => (giving.abort(reason), 1), effect);
      await assert.rejects(
        tool.callJson(ctxOf({ signal: giving.signal }), {}),
        (error) => error instanceof failure && error.cause === reason,
      );
    }
  });
});

describe("a Standard Schema that cannot be registered", () => {
  const plain = v.object({ id: v.string() });
  const refused: readonly (readonly [what: string, own: OwnSchemas, message: RegExp])[] = [
    [
      "has no JSON Schema",
      { inputSchema: plain },
      /input schema of class Ship is a Standard Schema \(valibot\) that has no JSON Schema; .*write one as inputJsonSchema beside it, or wrap it, toStandardJsonSchema/,
    ],
    [
      "has no JSON Schema for the output",
      { inputSchema: JSON_SCHEMA, outputSchema: plain },
      /output schema .*write one as outputJsonSchema/,
    ],
    [
      "cannot say itself as a JSON Schema",
      { inputSchema: z.object({ at: z.date() }) },
      /cannot be said as a JSON Schema \(zod: Date .*\); .*inputJsonSchema/,
    ],
    [
      "is of another version",
      { inputSchema: { "~standard": { ...answering(() => null)["~standard"], version: 2 as 1 } } },
      /no Standard Schema of version 1/,
    ],
    [
      "has no validate",
      { inputSchema: { "~standard": { version: 1, vendor: "x" } as never } },
      /function validate/,
    ],
    ["has nothing", { inputSchema: { "~standard": undefined as never } }, /function validate/],
    [
      "is none, and is described by another",
      { inputSchema: JSON_SCHEMA, inputJsonSchema: JSON_SCHEMA },
      /is no Standard Schema: leave out inputJsonSchema/,
    ],
    [
      "is described and missing",
      { inputSchema: JSON_SCHEMA, outputJsonSchema: JSON_SCHEMA },
      /outputJsonSchema without an outputSchema/,
    ],
    [
      "is described by what is not JSON",
      { inputSchema: plain, inputJsonSchema: { default: undefined as never } },
      /input schema of class Ship is not JSON: .*\$\.default/,
    ],
  ];
  for (const [what, own, message] of refused) {
    it(`because it ${what} is refused, with what to write`, () => {
      assert.throws(
        () => toolOf(own),
        (error: unknown) => {
          assert.ok(error instanceof RegistryError);
          assert.equal(error.code, "invalid_schema");
          assert.match(error.message, message);
          return true;
        },
      );
    });
  }
});

it("our type of a Standard Schema is the standard's", () => {
  const theirs: StandardSchemaV1<{ a: string }, { a: number }> = z.object({
    a: z.string().transform(Number),
  });
  const ours: StandardSchema<{ a: string }, { a: number }> = theirs;
  const back: StandardSchemaV1<{ a: string }, { a: number }> = ours;
  assert.equal(back["~standard"].version, 1);
});
