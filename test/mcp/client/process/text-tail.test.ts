import assert from "node:assert/strict";
import { it } from "node:test";
import { TextTail } from "#salvor/mcp/client/process/text-tail.js";

it("keeps the end of what was added, on one line and without what would colour or reorder it", () => {
  const tail = new TextTail(40);
  for (let count = 0; count < 1000; count += 1) tail.add("x".repeat(100));
  tail.add("\u001b[31mno\r\n\u202elicence\u001b[0m\n");
  assert.match(tail.text, /^x+no licence$/);
  assert.ok(tail.text.length <= 40);
});
