import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RegistryError } from "#salvor/contract/registry-error.js";
import { declaredTools, type ToolDeclaration } from "#salvor/schema/declared-tools.js";

const PAY: ToolDeclaration = {
  name: "pay",
  effect: "write",
  description: "Pay.",
  input_schema: { type: "object", required: ["cents"], properties: { cents: { type: "integer" } } },
  output_schema: { type: "object", required: ["id"] },
};
const CTX = { signal: new AbortController().signal, attempt: 1, log: console };

describe("declaredTools", () => {
  it("makes a tool of each declaration that there is a function for, with what the declaration says", () => {
    const tools = declaredTools([PAY, { ...PAY, name: "other" }], { pay: () => ({ id: "p" }) });
    assert.deepEqual(tools.descriptors(), [
      {
        name: "pay",
        effect: "write",
        description: "Pay.",
        inputSchema: PAY.input_schema,
        outputSchema: PAY.output_schema,
      },
    ]);
  });

  it("judges the input before the function runs, and what it returns after", async () => {
    const seen: unknown[] = [];
    const pay = declaredTools([PAY], {
      pay: (_, input: { cents: number }) => {
        seen.push(input);
        return input.cents > 5 ? { no: "id" } : { id: "p" };
      },
    }).get("pay");
    assert.deepEqual(await pay?.callJson(CTX, { cents: 5 }), { outcome: "output", output: { id: "p" } });
    await assert.rejects(pay?.callJson(CTX, { cents: "5" }) ?? Promise.resolve(), { code: "invalid_input" });
    await assert.rejects(pay?.callJson(CTX, { cents: 6 }) ?? Promise.resolve());
    assert.deepEqual(seen, [{ cents: 5 }, { cents: 6 }]);
  });

  it("names the functions that no declaration is about", () => {
    assert.throws(
      () => declaredTools([PAY], { pay: () => null, refund: () => null, toString: () => null }),
      (error) =>
        error instanceof RegistryError &&
        error.code === "undeclared_tool" &&
        error.message.includes("declared no refund, toString (declared: pay)"),
    );
  });

  it("takes a schema that is true or false, and a title where there is no description", () => {
    const { name, effect } = PAY;
    const tools = declaredTools([{ name, effect, title: "Pay", input_schema: true, output_schema: false }], {
      pay: () => 1,
    });
    const { inputSchema, outputSchema, description } = tools.descriptors()[0] ?? assert.fail();
    assert.deepEqual([inputSchema, outputSchema, description], [{}, { not: {} }, "Pay"]);
  });
});
