import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { printable, printableJson, shorten, shortKey } from "#salvor/cli/printable.js";

it("text that moves the cursor, recolours, reorders or hides is written as escapes", () => {
  assert.equal(printable("\u001b[2J500\r5\n\u009b31m"), "\\u001b[2J500\\u000d5\\u000a\\u009b31m");
  assert.equal(printable("pay\u202e005\u200b"), "pay\\u202e005\\u200b");
  assert.equal(printable("\u{e0041}"), "\\u{e0041}");
});

it("text that is plainly visible is left as it is, whatever its script", () => {
  assert.equal(printable("Rückzahlung für 顧客 · 5 €"), "Rückzahlung für 顧客 · 5 €");
});

it("whatever a client sent takes one line without a control character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      assert.doesNotMatch(printable(text), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
  );
});

it("a long value is cut with a count of what is missing", () => {
  assert.equal(printableJson({ note: "abcdef" }, 9), '{"note":"… (8 more)');
  assert.equal(printableJson({ note: "abcdef" }), '{"note":"abcdef"}');
});

it("a cut never leaves half a character", () => {
  assert.equal(shorten("ab😀cd", 3), "ab… (4 more)");
});

it("a key is shown by its beginning", () => {
  assert.equal(shortKey(`sha256:${"ab".repeat(32)}`), "sha256:abababababab…");
  assert.equal(shortKey("order-1"), "order-1");
});
