import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { run } from "../docs/scripts.js";

const example = join(import.meta.dirname, "../../../examples/mcp-assistant/dist/main.js");

describe("the MCP assistant", () => {
  it("has each refund made once, although it asks again and its server is killed", async () => {
    const printed = await run(process.execPath, [example]);
    for (const line of [
      /^tools: .*find_order \(readOnlyHint\), refund_card \(destructiveHint\)$/m,
      /^refunded: (\{.*\})\nasked for again: \1 \(from the log\)$/m,
      /^the assistant asks its user: Refund 90000 cents for A-18\?$/m,
      /^asked for again: nobody knows, and it is not made again$/m,
      /^after Ann has settled it: \{"refund_id":"re_A-13","amount_cents":700\}$/m,
      /^the ledger: A-17, A-13$/m,
    ]) {
      assert.match(printed, line);
    }
  });
});
