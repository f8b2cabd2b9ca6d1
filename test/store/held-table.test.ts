import { strict as assert } from "node:assert";
import { describe, it } from "node:test";
import fc from "fast-check";
import { heldText, HeldTable, NOTHING_HELD, printOf, readHeld } from "#salvor/store/held-table.js";

const OWNERS = 4;

/** Few identities and owners, so that they meet. */
const operations = fc.array(
  fc.record({
    kind: fc.constantFrom("set", "delete"),
    owner: fc.nat(OWNERS - 1),
    identity: fc.nat(40).map((n) => `sha256:${n}`),
    seq: fc.nat(2 ** 31 - 1),
    settled: fc.boolean(),
  }),
  { maxLength: 400 },
);

describe("the table of held identities", () => {
  it("says what a map would say, whatever was held and let go", () => {
    fc.assert(
      fc.property(operations, (all) => {
        const table = new HeldTable();
        const model = new Map<string, { owner: number; seq: number; settled: boolean }>();
        const lists = Array.from({ length: OWNERS }, () => NOTHING_HELD);
        for (const { kind, owner, identity, seq, settled } of all) {
          const holder = model.get(identity)?.owner ?? owner;
          const list = lists[holder] ?? NOTHING_HELD;
          if (kind === "delete") {
            lists[holder] = table.delete(printOf(identity), list);
            model.delete(identity);
          } else {
            lists[holder] = table.set(printOf(identity), { owner: holder, seq, settled }, list);
            model.set(identity, { owner: holder, seq, settled });
          }
        }
        for (let n = 0; n <= 40; n += 1) {
          assert.deepEqual(table.get(printOf(`sha256:${n}`)), model.get(`sha256:${n}`));
        }
        for (const [owner, list] of lists.entries()) {
          const own = [...model].filter(([, held]) => held.owner === owner);
          const expected = heldText(own.map(([identity, { seq, settled }]) => ({ identity, seq, settled })));
          assert.deepEqual(table.textOf(list).split(" ").sort(), expected.split(" ").sort());
        }
      }),
    );
  });

  it("finds every one of very many, and reads back what it writes", () => {
    const table = new HeldTable();
    let list = NOTHING_HELD;
    for (let seq = 0; seq < 20_000; seq += 1) {
      list = table.set(printOf(`order ${seq}`), { owner: 7, seq, settled: seq % 3 === 0 }, list);
    }
    const text = table.textOf(list);
    const copy = new HeldTable();
    let copied = NOTHING_HELD;
    readHeld(text, (print, seq, settled) => (copied = copy.set(print, { owner: 7, seq, settled }, copied)));
    for (let seq = 0; seq < 20_000; seq += 1) {
      assert.deepEqual(copy.get(printOf(`order ${seq}`)), { owner: 7, seq, settled: seq % 3 === 0 });
    }
    assert.equal(copy.textOf(copied), text);
    assert.equal(copy.get(printOf("order 20000")), undefined);
  });
});
