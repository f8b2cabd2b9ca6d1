import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SchemaArtefact, ToolSchemas } from "#salvor/contract/artefact.js";
import { RegistryError, type RegistryErrorCode } from "#salvor/contract/registry-error.js";
import type { JsonSchema } from "#salvor/contract/json.js";
import { Tool } from "#salvor/contract/tool-decorator.js";
import type { ToolCtx, ToolHandler } from "#salvor/contract/tool-handler.js";
import { ToolSet } from "#salvor/contract/tool-set.js";
import type { Validator } from "#salvor/contract/validator.js";
import { createValidator } from "#salvor/schema/validator.js";
import { ctxOf } from "./ctx.js";

interface Input {
  readonly id: string;
}
interface Output {
  readonly ok: boolean;
}

class Handler implements ToolHandler<Input, Output> {
  call(_ctx: ToolCtx, input: Input): Output {
    return { ok: input.id !== "" };
  }
}

@Tool("write")
class RefundOrder extends Handler {}

@Tool("read", { name: "a-lookup", description: "Looks it up." })
class Lookup extends Handler {}

@Tool("read", { name: "refund_order" })
class Impostor extends Handler {}

class Undecorated extends RefundOrder {}

class NoToolAtAll extends Handler {}

@Tool("write", { idempotencyKey: "id" })
class TwoKeys extends Handler {
  idempotencyKey(input: Input): string {
    return input.id;
  }
}

@Tool("read", { description: "x" })
class BadTimeout extends Handler {
  readonly timeoutMs = -1;
}

@Tool("read")
class Patient extends Handler {
  constructor(public timeoutMs: number) {
    super();
  }
}

@Tool("read")
class Silent extends Handler {}

function schemasOf(className: string, effect: string, more: Partial<ToolSchemas> = {}): ToolSchemas {
  return {
    class: className,
    file: "tools.ts",
    effect,
    description: `What ${className} does.`,
    input: {
      type: "object",
      required: ["id"],
      properties: { id: { type: "string" } },
      additionalProperties: false,
    },
    output: { type: "object", required: ["ok"] },
    fingerprint: "0",
    ...more,
  };
}

function artefactOf(tools: Readonly<Record<string, ToolSchemas>>): SchemaArtefact {
  return { formatVersion: 1, generator: { salvor: "0" }, inputs: {}, tools };
}

const SCHEMAS = artefactOf({
  refund_order: schemasOf("RefundOrder", "write"),
  "a-lookup": schemasOf("Lookup", "read"),
});

function setOf(tools: SchemaArtefact = SCHEMAS): ToolSet {
  return new ToolSet(tools, { validator: createValidator() });
}

function refuses(what: () => unknown, code: RegistryErrorCode, ...parts: readonly string[]): void {
  assert.throws(what, (error: unknown) => {
    assert.ok(error instanceof RegistryError);
    assert.equal(error.code, code);
    for (const part of parts) assert.ok(error.message.includes(part), `${part} in: ${error.message}`);
    return true;
  });
}

describe("a tool set", () => {
  it("registers handlers in a chain, finds them by name and lists the names sorted", () => {
    const tools = setOf().register(new RefundOrder()).register(new Lookup());
    assert.deepEqual(tools.names(), ["a-lookup", "refund_order"]);
    assert.equal(tools.get("refund_order")?.effect, "write");
    assert.equal(tools.get("refund"), undefined);
    for (const hostile of ["__proto__", "constructor", "toString"])
      assert.equal(tools.get(hostile), undefined);
  });

  it("performs calls against the generated schemas", async () => {
    const tool = setOf().register(new RefundOrder()).get("refund_order")!;
    assert.deepEqual(await tool.callJson(ctxOf(), { id: "o" }), { outcome: "output", output: { ok: true } });
    await assert.rejects(tool.callJson(ctxOf(), { id: "o", more: 1 }), { code: "invalid_input" });
  });

  it("takes the description from the option, else from the class's doc comment", () => {
    const tools = setOf().register(new RefundOrder()).register(new Lookup());
    assert.equal(tools.get("refund_order")?.description, "What RefundOrder does.");
    assert.equal(tools.get("a-lookup")?.description, "Looks it up.");
  });

  it("describes its tools sorted by name, deeply frozen", () => {
    const descriptors = setOf().register(new RefundOrder()).register(new Lookup()).descriptors();
    assert.deepEqual(
      descriptors.map(({ name, effect }) => [name, effect]),
      [
        ["a-lookup", "read"],
        ["refund_order", "write"],
      ],
    );
    assertFrozen(descriptors);
  });

  it("does not freeze what it was given, nor follow later changes of it", () => {
    const input = { type: "object", properties: { id: { type: "string" } } };
    const artefact = artefactOf({ refund_order: schemasOf("RefundOrder", "write", { input }) });
    const tools = setOf(artefact).register(new RefundOrder());
    input.type = "null";
    assert.equal(tools.get("refund_order")?.inputSchema.type, "object");
  });

  it("judges by what the schemas were when a tool was registered", async () => {
    const input = { type: "object", required: ["id"] };
    const output = { type: "object", required: ["ok"] };
    const artefact = artefactOf({ refund_order: schemasOf("RefundOrder", "write", { input, output }) });
    const tools = setOf(artefact).register(new RefundOrder());
    input.required = [];
    output.required = ["more"];
    const tool = tools.get("refund_order")!;
    await assert.rejects(tool.callJson(ctxOf(), {}), { code: "invalid_input" });
    assert.deepEqual(await tool.callJson(ctxOf(), { id: "o" }), { outcome: "output", output: { ok: true } });
  });

  it("takes of a generated schema what JSON has of it", () => {
    const input = { type: "object", title: undefined, properties: { id: { type: "string" } } };
    const artefact = artefactOf({ refund_order: schemasOf("RefundOrder", "write", { input }) });
    const tool = setOf(artefact).register(new RefundOrder()).get("refund_order");
    assert.deepEqual(tool?.inputSchema, { type: "object", properties: { id: { type: "string" } } });
  });

  it("is not reached by what becomes of a handler's timeout", () => {
    const patient = new Patient(5);
    const tools = setOf(artefactOf({ patient: schemasOf("Patient", "read") })).register(patient);
    patient.timeoutMs = -1;
    assert.equal(tools.get("patient")?.timeoutMs, 5);
    const handler = new RefundOrder();
    const others = setOf().register(handler);
    Object.assign(handler, { timeoutMs: -1 });
    assert.equal(others.get("refund_order")?.timeoutMs, undefined);
  });

  it("keeps a tool that identifies its calls from forgetting it", () => {
    const handler = Object.assign(new RefundOrder(), { idempotencyKey: (input: Input) => input.id });
    const tools = setOf().register(handler);
    Reflect.deleteProperty(handler, "idempotencyKey");
    assert.throws(() => tools.get("refund_order")?.idempotencyKey?.({ id: "o" }), {
      code: "missing_idempotency_key",
    });
  });

  it("has one tool under a name, and one descriptor", () => {
    const tools = setOf().register(new RefundOrder());
    assert.equal(tools.get("refund_order"), tools.get("refund_order"));
    assert.equal(tools.descriptors()[0], tools.descriptors()[0]);
  });

  it("gives a validator that may keep what it compiles a frozen copy, when the tool is registered", () => {
    const seen: JsonSchema[] = [];
    // What a validator says of its own function is not said of another.
    const validator: Validator = {
      ...createValidator(),
      compile: (schema) => {
        seen.push(schema);
        return () => [];
      },
    };
    const tools = new ToolSet(SCHEMAS, { validator }).register(new RefundOrder());
    const { input, output } = SCHEMAS.tools.refund_order!;
    assert.deepEqual(seen, [input, output]);
    assert.ok(!seen.includes(input as JsonSchema));
    assertFrozen(seen[0]);
    assert.equal(tools.get("refund_order")?.inputSchema, seen[0]);
    assert.equal(seen.length, 2);
  });

  it("takes a handler that brings its own schemas", async () => {
    const tool = setOf(artefactOf({}))
      .register(new Lookup(), { inputSchema: { type: "object", required: ["id"] } })
      .get("a-lookup")!;
    assert.deepEqual(tool.inputSchema, { type: "object", required: ["id"] });
    assert.equal(tool.outputSchema, undefined);
    await assert.rejects(tool.callJson(ctxOf(), {}), { code: "invalid_input" });
  });
});

describe("a tool set refuses", () => {
  it("two tools with one name, naming both classes", () => {
    const tools = setOf().register(new RefundOrder());
    refuses(() => tools.register(new RefundOrder()), "duplicate_name", "RefundOrder", "refund_order");
    refuses(
      () => tools.register(new Impostor(), { inputSchema: {}, description: "x" }),
      "duplicate_name",
      "RefundOrder",
      "Impostor",
    );
  });

  it("a class without a schema, naming it and the command", () => {
    refuses(
      () => setOf(artefactOf({})).register(new Lookup()),
      "missing_schema",
      "Lookup",
      "npx salvor schemas",
    );
  });

  it("a schema that only an inherited member of the artefact would be", () => {
    class ToString extends Handler {}
    Tool("read", { name: "constructor", description: "x" })(ToString);
    refuses(() => setOf().register(new ToString()), "missing_schema", "constructor");
  });

  it("a schema that was generated from another class", () => {
    const stale = artefactOf({ refund_order: schemasOf("Refund", "write") });
    refuses(
      () => setOf(stale).register(new RefundOrder()),
      "stale_schema",
      "Refund",
      "RefundOrder",
      "npx salvor schemas",
    );
  });

  it("a schema that was generated under another effect, naming both", () => {
    const drifted = artefactOf({ refund_order: schemasOf("RefundOrder", "idempotent") });
    refuses(
      () => setOf(drifted).register(new RefundOrder()),
      "effect_mismatch",
      "RefundOrder",
      '"write"',
      '"idempotent"',
    );
  });

  it("a schema that does not compile", () => {
    const broken = artefactOf({
      refund_order: schemasOf("RefundOrder", "write", { input: { type: "dict" } }),
    });
    refuses(() => setOf(broken).register(new RefundOrder()), "invalid_schema", "RefundOrder");
  });

  it("a schema that is not JSON", () => {
    const own = { description: "Refunds.", inputSchema: {}, outputSchema: { maximum: NaN } };
    refuses(
      () => setOf(artefactOf({})).register(new RefundOrder(), own),
      "invalid_schema",
      "RefundOrder",
      "output",
      "$.maximum",
    );
  });

  it("a subclass of a tool that is no tool itself, and says why", () => {
    refuses(
      () => setOf().register(new Undecorated()),
      "not_a_tool",
      "Undecorated",
      "RefundOrder",
      "not inherited",
    );
  });

  it("what is not an instance of a tool class", () => {
    refuses(() => setOf().register(new NoToolAtAll()), "not_a_tool", "NoToolAtAll", '@Tool("write")');
    refuses(() => setOf().register(RefundOrder), "not_a_tool", "new RefundOrder(...)");
    refuses(() => setOf().register(null as never), "not_a_tool", "null");
    refuses(() => setOf().register(Object.create(null) as never), "not_a_tool");
    refuses(() => setOf().register({ call: () => ({ ok: true }) }), "not_a_tool");
  });

  it("an instance whose call is gone", () => {
    const handler = Object.assign(new RefundOrder(), { call: undefined });
    refuses(() => setOf().register(handler), "not_a_tool", "RefundOrder", "call(ctx, input)");
  });

  it("two ways to derive one key", () => {
    refuses(() => setOf().register(new TwoKeys()), "ambiguous_idempotency_key", "TwoKeys", '"id"');
    const confused = Object.assign(new RefundOrder(), { idempotencyKey: "id" });
    refuses(() => setOf().register(confused as never), "ambiguous_idempotency_key", "RefundOrder");
  });

  it("a timeout that is no duration", () => {
    refuses(() => setOf().register(new BadTimeout()), "invalid_timeout", "BadTimeout", "-1");
  });

  it("a tool that nothing describes", () => {
    const silent = schemasOf("Silent", "read", { description: "  " });
    refuses(
      () => setOf(artefactOf({ silent })).register(new Silent()),
      "missing_description",
      "Silent",
      "doc comment",
    );
  });

  it("an artefact of another format", () => {
    refuses(() => setOf({ ...SCHEMAS, formatVersion: 2 }), "unsupported_artefact", "2", "npx salvor schemas");
    refuses(() => setOf({} as never), "unsupported_artefact");
    refuses(() => setOf(null as never), "unsupported_artefact");
    refuses(() => setOf({ formatVersion: 1 } as never), "unsupported_artefact");
  });

  it("without keeping any of it", () => {
    const tools = setOf().register(new RefundOrder());
    assert.throws(() => tools.register(new Impostor(), { inputSchema: {}, description: "x" }));
    assert.throws(() => tools.register(new NoToolAtAll()));
    assert.deepEqual(tools.names(), ["refund_order"]);
    assert.equal(tools.get("refund_order")?.effect, "write");
  });
});

function assertFrozen(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  assert.ok(Object.isFrozen(value));
  for (const member of Object.values(value)) assertFrozen(member);
}
