import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Tool, ToolSet, type ToolCtx, type Validator } from "#salvor/index.js";
import { ToolSet as ContractToolSet } from "#salvor/contract/tool-set.js";

@Tool("read", { description: "Looks an order up." })
class LookUp {
  call(_ctx: ToolCtx, input: { readonly id: string }): { readonly id: string } {
    return { id: input.id };
  }
}

const SCHEMAS = { formatVersion: 1, generator: {}, inputs: {}, tools: {} };
const OWN = {
  inputSchema: { type: "object", required: ["id"], properties: { id: { type: "string", pattern: "^o-" } } },
};

const silent = (): undefined => undefined;
const CTX: ToolCtx = {
  signal: new AbortController().signal,
  attempt: 1,
  log: { debug: silent, info: silent, warn: silent, error: silent },
};

describe("the tool set that a tool's author is given", () => {
  it("judges with this package's validator, without being handed one", async () => {
    const tool = new ToolSet(SCHEMAS).register(new LookUp(), OWN).get("look_up")!;
    assert.deepEqual(await tool.callJson(CTX, { id: "o-1" }), { outcome: "output", output: { id: "o-1" } });
    await assert.rejects(tool.callJson(CTX, { id: "1" }), { code: "invalid_input" });
  });

  it("is the contract's, so that whatever takes one takes it", () => {
    assert.ok(new ToolSet(SCHEMAS) instanceof ContractToolSet);
  });

  it("takes another validator where one is given", async () => {
    const nothing: Validator = { compile: () => () => [{ path: "$", message: "not today" }] };
    const tool = new ToolSet(SCHEMAS, { validator: nothing }).register(new LookUp(), OWN).get("look_up")!;
    await assert.rejects(tool.callJson(CTX, { id: "o-1" }), /not today/);
  });
});
