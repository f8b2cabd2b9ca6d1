import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type * as CheckBooks from "../../examples/refund-desk/dist/check-books.js";

const example = join(import.meta.dirname, "../../../examples/refund-desk/dist/check-books.js");
const { checkBooks, keyOf } = (await import(pathToFileURL(example).href)) as typeof CheckBooks;

const RUN = "00000000-0000-4000-8000-000000000001";
const key = keyOf({ run: RUN, tool: "refund_card", order_id: "A-1", amount_cents: 500 });
const body = { order_id: "A-1", amount_cents: 500 };
const receipt = { refund_id: "re_0001", amount_cents: 500 };
const at = "2026-01-31T09:30:00.000Z";

const line = { key, path: "/refunds", body, receipt, paid_at: at } as const;
const request = { at, method: "POST", path: "/refunds", authorized: true, key, body } as const;
const write = { run: RUN, seq: 1, key, input: body, output: receipt, deduplicated: false } as const;
const copy = { ...write, seq: 3, deduplicated: true } as const;
const good: CheckBooks.Books = {
  expected: [{ key, path: "/refunds", body, calls: 2 }],
  ledger: [line],
  requests: [request],
  writes: [write, copy],
};

describe("the books of the refund desk", () => {
  it("agree when one payment was made, asked for once, and recorded", () => {
    assert.deepEqual(checkBooks(good), []);
  });

  it("know a key as the wire contract derives it", () => {
    // The vector of docs/http-api.md.
    assert.equal(
      keyOf({ seq: 1, run: RUN, tool: "charge_card" }),
      "sha256:514bc81f163e3c20496a39bc47f9568b1c8c49edb3b15eabfc1d3b52b66c4158",
    );
  });

  const other = `sha256:${"0".repeat(64)}`;
  const open = { run: RUN, seq: 1, key, input: body, deduplicated: false };
  const faults: readonly [string, Partial<CheckBooks.Books>, RegExp][] = [
    ["a request that reached the provider twice", { requests: [request, request] }, /2 requests .*, not 1/],
    ["a request that never reached the provider", { requests: [] }, /0 requests .*, not 1/],
    ["a payment that was made twice", { ledger: [line, line] }, /2 ledger lines, not 1/],
    ["a payment that was not made", { ledger: [] }, /0 ledger lines, not 1/],
    [
      "a payment that nobody asked for",
      { ledger: [line, { ...line, key: other }] },
      /payment that nobody asked for/,
    ],
    [
      "a payment of another amount",
      { ledger: [{ ...line, body: { ...body, amount_cents: 50 } }] },
      /books say/,
    ],
    [
      "a request for another amount",
      { requests: [{ ...request, body: { ...body, amount_cents: 50 } }] },
      /books say/,
    ],
    ["a request under no key", { requests: [request, { ...request, key: null }] }, /nobody meant/],
    ["a request under another key", { requests: [request, { ...request, key: other }] }, /nobody meant/],
    ["a request without the secret", { requests: [{ ...request, authorized: false }] }, /without its secret/],
    ["a call that is still open", { writes: [open, copy] }, /call 1 is still open/],
    ["a call that the log misses", { writes: [write] }, /1 calls in the log, not 2/],
    [
      "a call that was performed twice",
      { writes: [write, { ...copy, deduplicated: false }] },
      /2 calls .* performed/,
    ],
    ["a call with another input", { writes: [{ ...write, input: {} }, copy] }, /the log says \{\}/],
    [
      "a call with an invented receipt",
      { writes: [{ ...write, output: { ...receipt, refund_id: "re_9" } }, copy] },
      /no receipt of the ledger/,
    ],
    [
      "a write that is not in the story",
      { writes: [write, copy, { ...write, key: other }] },
      /not in the story/,
    ],
  ];
  for (const [fault, broken, words] of faults) {
    it(`do not agree about ${fault}`, () => {
      assert.match(checkBooks({ ...good, ...broken }).join("\n"), words);
    });
  }
});
