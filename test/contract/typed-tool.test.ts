import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Effect } from "#salvor/contract/effect.js";
import { HandlerError, RetryableError, UnknownOutcomeError } from "#salvor/contract/handler-errors.js";
import { failureOutput, suspensionOutput } from "#salvor/contract/reserved.js";
import {
  HandlerFailed,
  InvalidInput,
  isToolError,
  MissingIdempotencyKey,
  OutputSerialization,
} from "#salvor/contract/tool-errors.js";
import type { ToolCtx, ToolHandler } from "#salvor/contract/tool-handler.js";
import { output, suspend } from "#salvor/contract/tool-outcome.js";
import { TypedTool, type TypedToolDefinition } from "#salvor/contract/typed-tool.js";
import { createValidator } from "#salvor/schema/validator.js";
import { ctxOf } from "./ctx.js";

interface Input {
  readonly id: string;
}

const validator = createValidator();

type Call = (ctx: ToolCtx, input: Input) => unknown;

function toolOf(
  effect: Effect,
  call: Call,
  handler: Partial<ToolHandler<Input, unknown>> = {},
  definition: Partial<TypedToolDefinition> = {},
): TypedTool<Input, unknown> {
  return new TypedTool({ ...handler, call }, { ...DEFINITION, ...definition, effect }, validator);
}

const DEFINITION: TypedToolDefinition = {
  name: "refund",
  description: "Refunds.",
  effect: "write",
  inputSchema: { type: "object", required: ["id"], properties: { id: { type: "string" } } },
  outputSchema: { type: "object", required: ["ok"], properties: { ok: { type: "boolean" } } },
};

const EFFECTS = ["read", "idempotent", "write"] as const;

describe("a call through the erased layer", () => {
  for (const [way, call] of Object.entries<Call>({
    "the output itself": () => ({ ok: true }),
    "a promise of it": () => Promise.resolve({ ok: true }),
    "output(value)": () => output({ ok: true }),
    "a promise of output(value)": () => Promise.resolve(output({ ok: true })),
  })) {
    it(`takes ${way} as the answer`, async () => {
      assert.deepEqual(await toolOf("write", call).callJson(ctxOf(), { id: "o" }), {
        outcome: "output",
        output: { ok: true },
      });
    });
  }

  it("passes a suspension through unchanged", async () => {
    const tool = toolOf("write", () => suspend("over 100: who says yes?", { type: "boolean" }));
    assert.deepEqual(await tool.callJson(ctxOf(), { id: "o" }), {
      outcome: "suspend",
      reason: "over 100: who says yes?",
      inputSchema: { type: "boolean" },
    });
  });

  it("hands the handler its context and its input", async () => {
    const ctx = ctxOf({ attempt: 2, idempotencyKey: "k", runId: "r", seq: 4 });
    let seen: unknown;
    await toolOf("write", (...given) => ((seen = given), { ok: true })).callJson(ctx, { id: "o" });
    assert.deepEqual(seen, [ctx, { id: "o" }]);
  });

  it("keeps this of the handler, with its private state", async () => {
    class Counter {
      #calls = 0;
      call() {
        this.#calls += 1;
        return { ok: this.#calls === 1 };
      }
    }
    const handler = new Counter();
    const tool = new TypedTool<Input, unknown>(handler, DEFINITION, validator);
    assert.deepEqual(await tool.callJson(ctxOf(), { id: "o" }), { outcome: "output", output: { ok: true } });
  });

  it("gives each attempt an input of its own, whatever the one before did to it", async () => {
    const seen: string[] = [];
    const tool = toolOf("read", (_ctx, input) => {
      seen.push(input.id);
      (input as { id: string }).id = "changed";
      return { ok: true };
    });
    const input = { id: "o" };
    await tool.callJson(ctxOf(), input);
    await tool.callJson(ctxOf({ attempt: 2 }), input);
    assert.deepEqual([seen, input], [["o", "o"], { id: "o" }]);
  });

  it("never runs with an input that is not JSON, and names the place", async () => {
    let ran = false;
    const tool = toolOf("write", () => (ran = true));
    for (const [note, path] of [
      [new Date(0), "$.note"],
      [undefined, "$.note"],
      [[2 ** 53], "$.note[0]"],
    ] as const) {
      await assert.rejects(tool.callJson(ctxOf(), { id: "o", note } as never), (error: unknown) => {
        assert.ok(error instanceof InvalidInput);
        assert.equal(error.violations[0]?.path, path);
        return true;
      });
    }
    assert.equal(ran, false);
  });

  for (const effect of EFFECTS) {
    it(`never runs a ${effect} whose input does not match, and names every violation`, async () => {
      let ran = false;
      const tool = toolOf(effect, () => ((ran = true), { ok: true }));
      await assert.rejects(tool.callJson(ctxOf(), { id: 7 }), (error: unknown) => {
        assert.ok(error instanceof InvalidInput && isToolError(error));
        assert.deepEqual([error.code, error.tool], ["invalid_input", "refund"]);
        assert.deepEqual(error.violations, [{ path: "$.id", message: "expected text, found 7" }]);
        return true;
      });
      assert.equal(ran, false);
    });

    it(`takes a HandlerError of a ${effect} as a definite failure`, async () => {
      const cause = new HandlerError("card is closed");
      const tool = toolOf(effect, () => {
        throw cause;
      });
      await assert.rejects(tool.callJson(ctxOf(), { id: "o" }), (error: unknown) => {
        assert.ok(error instanceof HandlerFailed && isToolError(error));
        assert.deepEqual([error.code, error.cause, error.definite], ["handler", cause, true]);
        assert.equal(error.retryAfterMs, undefined);
        return true;
      });
    });

    it(`hands on how long a ${effect} asks to wait`, async () => {
      const tool = toolOf(effect, () => Promise.reject(new RetryableError("busy", 40)));
      await assert.rejects(tool.callJson(ctxOf(), { id: "o" }), { code: "handler", retryAfterMs: 40 });
    });
  }

  const thrown: readonly unknown[] = [
    new Error("socket hang up"),
    "text",
    undefined,
    null,
    Object.create(null),
  ];
  for (const value of thrown) {
    it(`takes ${String(value instanceof Error ? value : typeof value)} thrown by a write as an unknown outcome`, async () => {
      const tool = toolOf("write", () => {
        throw value;
      });
      await assert.rejects(tool.callJson(ctxOf(), { id: "o" }), (error: unknown) => {
        assert.ok(error instanceof UnknownOutcomeError);
        assert.equal(isToolError(error), false);
        assert.deepEqual([error.tool, error.cause], ["refund", value]);
        return true;
      });
    });
  }

  for (const effect of ["read", "idempotent"] as const) {
    it(`takes anything else that a ${effect} throws as a failure that is not definite`, async () => {
      const tool = toolOf(effect, () => Promise.reject(new Error("socket hang up")));
      await assert.rejects(tool.callJson(ctxOf(), { id: "o" }), {
        code: "handler",
        definite: false,
        message: /socket/,
      });
    });
  }

  it("takes a write that was aborted as an unknown outcome", async () => {
    const aborting = new AbortController();
    const tool = toolOf("write", ({ signal }) => {
      aborting.abort();
      signal.throwIfAborted();
    });
    await assert.rejects(tool.callJson(ctxOf({ signal: aborting.signal }), { id: "o" }), UnknownOutcomeError);
  });
});

describe("an output that cannot be recorded", () => {
  const bad: readonly (readonly [what: string, output: unknown, path: string])[] = [
    ["is not JSON", { ok: true, cents: 1n }, "$.cents"],
    ["is undefined", undefined, "$"],
    ["does not match the schema", { ok: 1 }, "$.ok"],
    ["looks like a recorded failure", failureOutput("handler", "x", 1), "$"],
    ["looks like a recorded suspension", suspensionOutput("x", true), "$"],
    ["looks like one of them, with nonsense inside", { __salvor_error: 1 }, "$"],
    ["suspends without a reason", suspend("", true), "suspend"],
    ["suspends with a schema that is none", suspend("why", [] as never), "suspend"],
    ["suspends with a schema that is not JSON", suspend("why", { default: undefined } as never), "$.default"],
  ];
  for (const [what, returned, path] of bad) {
    for (const effect of ["read", "idempotent"] as const) {
      it(`fails a ${effect} when it ${what}, naming the place`, async () => {
        const tool = toolOf(effect, () => returned);
        await assert.rejects(tool.callJson(ctxOf(), { id: "o" }), (error: unknown) => {
          assert.ok(error instanceof OutputSerialization && isToolError(error));
          assert.deepEqual([error.code, error.tool], ["output_serialization", "refund"]);
          assert.equal(error.violations[0]?.path, path);
          return true;
        });
      });
    }

    it(`leaves the outcome of a write unknown when it ${what}: its effect has happened`, async () => {
      const tool = toolOf("write", () => returned);
      await assert.rejects(tool.callJson(ctxOf(), { id: "o" }), (error: unknown) => {
        assert.ok(error instanceof UnknownOutcomeError && error.cause instanceof OutputSerialization);
        return true;
      });
    });
  }

  it("may have a reserved key beside another one", async () => {
    const tool = toolOf("read", () => ({ ok: true, __salvor_error: 1 }));
    assert.equal((await tool.callJson(ctxOf(), { id: "o" })).outcome, "output");
  });

  it("leaves the outcome of a write unknown when the judge itself breaks", async () => {
    const tool = new TypedTool<Input, unknown>(
      { call: () => ({ ok: true }) },
      { name: "refund", description: "", effect: "write", inputSchema: {}, outputSchema: { type: "null" } },
      {
        compile: (schema) =>
          Object.hasOwn(schema as object, "type") ? () => Promise.reject(new Error("worker died")) : () => [],
      },
    );
    await assert.rejects(tool.callJson(ctxOf(), { id: "o" }), UnknownOutcomeError);
  });

  it("is found to be unjudgeable before a write runs, which has then definitely failed", async () => {
    let ran = false;
    const ready = (schema: unknown) => (): void => {
      if (Object.hasOwn(schema as object, "type")) throw new Error("schema at $.type: what is that?");
    };
    const tool = new TypedTool<Input, unknown>(
      { call: () => (ran = true) },
      { name: "refund", description: "", effect: "write", inputSchema: {}, outputSchema: { type: "odd" } },
      { compile: (schema) => Object.assign(() => [], { ready: ready(schema) }) },
    );
    for (let time = 0; time < 2; time += 1) {
      await assert.rejects(tool.callJson(ctxOf(), { id: "o" }), (error: unknown) => {
        assert.ok(error instanceof HandlerFailed && error.definite);
        assert.match(error.message, /does not compile, so it was not run: schema at \$\.type/);
        return true;
      });
    }
    assert.equal(ran, false);
  });

  it("is not judged at all without an output schema, beyond being JSON", async () => {
    const tool = new TypedTool<Input, unknown>(
      { call: () => [1, "x"] },
      { name: "any", description: "Any.", effect: "read", inputSchema: {} },
      validator,
    );
    assert.deepEqual(await tool.callJson(ctxOf(), {}), { outcome: "output", output: [1, "x"] });
  });
});

describe("a declared idempotency key", () => {
  it("comes from the path", () => {
    assert.equal(
      toolOf("write", () => null, {}, { idempotencyKey: "id" }).idempotencyKey?.({ id: "o-1" }),
      "refund:o-1",
    );
  });

  it("comes from the handler's own method, in the tool's name space", () => {
    const tool = toolOf("write", () => null, { idempotencyKey: (input) => `order ${input.id}` });
    assert.equal(tool.idempotencyKey?.({ id: "o-1" }), "refund:order o-1");
  });

  it("is absent when none is declared", () => {
    assert.equal(toolOf("write", () => null).idempotencyKey, undefined);
  });

  for (const [what, derive] of Object.entries<(input: Input) => string>({
    "an empty string": () => "",
    undefined: () => undefined as never,
    "a number": () => 5 as never,
    "a lone surrogate": () => "\ud800",
    "an error": () => {
      throw new Error("boom");
    },
  })) {
    it(`refuses the call when the method yields ${what}`, async () => {
      let ran = false;
      const tool = toolOf("write", () => ((ran = true), { ok: true }), { idempotencyKey: derive });
      await assert.rejects(tool.callJson(ctxOf(), { id: "o" }), (error: unknown) => {
        assert.ok(error instanceof MissingIdempotencyKey && isToolError(error));
        assert.match(error.message, /refund/);
        return true;
      });
      assert.equal(ran, false);
    });
  }

  it("reaches the handler also when whoever calls did not derive it", async () => {
    let seen: string | undefined;
    const tool = toolOf(
      "write",
      (ctx) => ((seen = ctx.idempotencyKey), { ok: true }),
      {},
      { idempotencyKey: "id" },
    );
    await tool.callJson(ctxOf(), { id: "o-1" });
    assert.equal(seen, "refund:o-1");
  });

  it("gives way to the key that the call was recorded under", async () => {
    let seen: string | undefined;
    const tool = toolOf(
      "write",
      (ctx) => ((seen = ctx.idempotencyKey), { ok: true }),
      {},
      { idempotencyKey: "id" },
    );
    await tool.callJson(ctxOf({ idempotencyKey: "sha256:1" }), { id: "o-1" });
    assert.equal(seen, "sha256:1");
  });
});
