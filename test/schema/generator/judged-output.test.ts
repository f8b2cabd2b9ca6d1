import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UnknownOutcomeError } from "#salvor/contract/handler-errors.js";
import { Tool } from "#salvor/contract/tool-decorator.js";
import type { ToolCtx } from "#salvor/contract/tool-handler.js";
import type { SchemaArtefact } from "#salvor/contract/artefact.js";
import { ToolSet } from "#salvor/schema/tool-set.js";
import { expectArtefact, Program } from "./program.js";

const SOURCE = `import { Tool, type ToolCtx } from "salvor";
interface Receipt { cents: number; state: "paid" | "held" }
/** Takes a payment. */
@Tool("write")
export class TakePayment {
  async call(ctx: ToolCtx, input: { order: string }): Promise<Receipt> { return null!; }
}
`;

describe("an output whose schema came from the types of call, with nothing switched on", () => {
  using program = new Program({ "src/tool.ts": SOURCE });
  const artefact = JSON.parse(expectArtefact(program.generate()).text) as SchemaArtefact;
  const call = async (answer: unknown) => {
    class TakePayment {
      call(ctx: ToolCtx, input: { order: string }): unknown {
        return ctx.attempt === 1 && input.order === "A" ? answer : undefined;
      }
    }
    Tool("write")(TakePayment);
    const tool = new ToolSet(artefact).register(new TakePayment()).get("take_payment");
    assert.ok(tool);
    return tool.callJson({ signal: new AbortController().signal, attempt: 1, log: console }, { order: "A" });
  };

  it("passes as it is when it is what the types say", async () => {
    assert.deepEqual(await call({ cents: 5, state: "paid" }), {
      outcome: "output",
      output: { cents: 5, state: "paid" },
    });
  });

  for (const [what, answer, place] of [
    ["a member of another type", { cents: "5", state: "paid" }, /cents/],
    ["a member that is missing", { cents: 5 }, /state/],
    ["a value outside of the union", { cents: 5, state: "lost" }, /state/],
    ["another shape altogether", "paid", /output/],
  ] as const) {
    it(`is refused when it is ${what}, and a write's outcome is then unknown: it was performed`, async () => {
      await assert.rejects(call(answer), (error: unknown) => {
        assert.ok(error instanceof UnknownOutcomeError, String(error));
        assert.match(error.message, place);
        return true;
      });
    });
  }
});
