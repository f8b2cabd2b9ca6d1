import assert from "node:assert/strict";
import { it } from "node:test";
import { TextTail } from "#salvor/mcp/client/process/text-tail.js";
import { secretsOf } from "#salvor/mcp/client/secrets.js";

it("keeps the end of what was added, on one line and without what would colour or reorder it", () => {
  const tail = new TextTail(40);
  for (let count = 0; count < 1000; count += 1) tail.add("x".repeat(100));
  tail.add("\u001b[31mno\r\n\u202elicence\u001b[0m\n");
  assert.match(tail.text, /^x+no licence$/);
  assert.ok(tail.text.length <= 40);
});

it("shows no secret, also not the end of one of which the beginning is gone", () => {
  const secret = "0123456789abcdef";
  const tail = new TextTail(20, secretsOf({ KEY: secret }));
  for (const piece of ["begin ", secret.slice(0, 5), secret.slice(5), " ", secret, " end"]) tail.add(piece);
  for (let more = 0; more < 60; more += 1) {
    assert.doesNotMatch(tail.text, /[0-9a-f]{4}/);
    tail.add("-");
  }
});
