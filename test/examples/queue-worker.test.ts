import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { SalvorClient } from "#salvor/client/index.js";
import type * as Books from "../../examples/queue-worker/dist/check-books.js";
import { run } from "../docs/scripts.js";
import { TestServer } from "../support/test-server.js";

const example = join(import.meta.dirname, "../../../examples/queue-worker/dist");

describe("the queue worker", () => {
  it("makes each of 1 000 refunds once, although it is killed ten times", async () => {
    const printed = await run(process.execPath, [join(example, "main.js")]);
    assert.match(printed, /\] 1000\/1000 done, killed 10 times$/m);
    assert.match(printed, /^The books agree: 1000 refunds were due, and each was made once\./m);
  });

  it("checks books that would tell it if one was not", async () => {
    const { checkBooks } = (await import(
      pathToFileURL(join(example, "check-books.js")).href
    )) as typeof Books;
    const refund = { order_id: "A-1", amount_cents: 500 };
    const receipt = { refund_id: "re_1", amount_cents: 500 };
    const line = { key: "k", refund, receipt };
    const server = await TestServer.start();
    try {
      const client = new SalvorClient({ url: server.url });
      const wrong = (ledger: readonly (typeof line)[]) =>
        checkBooks([{ id: 1, refund }], ledger, client as never);
      assert.deepEqual(await wrong([]), ["message 1: 0 refunds, not 1", "0 refunds, not 1", "runs: {}"]);
      assert.deepEqual(await wrong([line, { ...line, key: "l" }]), [
        "message 1: 2 refunds, not 1",
        "2 refunds, not 1",
        "runs: {}",
      ]);
      assert.deepEqual(await wrong([{ ...line, refund: { ...refund, amount_cents: 50 } }]), [
        "message 1: another amount was refunded",
        "runs: {}",
      ]);
      assert.deepEqual(await wrong([line]), ["message 1: no run holds the receipt re_1", "runs: {}"]);
    } finally {
      await server.stop();
    }
  });
});
