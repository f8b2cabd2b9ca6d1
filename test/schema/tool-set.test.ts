import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  RegistryError,
  Tool,
  ToolSet,
  type SchemaArtefact,
  type ToolCtx,
  type ToolHandler,
  type Validator,
} from "#salvor/index.js";

@Tool("write", { description: "Refund a paid order." })
class RefundOrder implements ToolHandler<{ order_id: string }, { refund_id: string }> {
  call(ctx: ToolCtx, input: { order_id: string }): { refund_id: string } {
    return { refund_id: `re_${input.order_id}_${ctx.attempt}` };
  }
}

function artefact(type: string): SchemaArtefact {
  return {
    formatVersion: 1,
    generator: {},
    inputs: {},
    tools: {
      refund_order: {
        class: "RefundOrder",
        file: "src/tools.ts",
        effect: "write",
        input: { type: "object", required: ["order_id"], properties: { order_id: { type } } },
        output: { type: "object" },
        fingerprint: "",
      },
    },
  };
}

const ctx: ToolCtx = {
  signal: new AbortController().signal,
  attempt: 1,
  log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
};

describe("ToolSet", () => {
  it("judges with our validator unless another one is given", async () => {
    const tool = new ToolSet(artefact("string")).register(new RefundOrder()).get("refund_order");
    assert.deepEqual(await tool?.callJson(ctx, { order_id: "7" }), {
      outcome: "output",
      output: { refund_id: "re_7_1" },
    });
    await assert.rejects(async () => tool?.callJson(ctx, { order_id: 7 }), { code: "invalid_input" });
  });

  it("refuses a schema that our validator does not compile", () => {
    assert.throws(() => new ToolSet(artefact("dict")).register(new RefundOrder()), RegistryError);
  });

  it("judges with the validator that is given", async () => {
    const validator: Validator = { compile: () => () => [{ path: "$", message: "not today" }] };
    const tool = new ToolSet(artefact("string"), { validator })
      .register(new RefundOrder())
      .get("refund_order");
    await assert.rejects(async () => tool?.callJson(ctx, { order_id: "7" }), /not today/);
  });
});
