import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { LineSplitter } from "#salvor/mcp/client/transport/line-splitter.js";

it("however a text is cut into pieces, its lines come out whole", () => {
  const line = fc.string({ unit: "binary" }).map((text) => text.replaceAll("\n", "").toWellFormed());
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat({ max: 20 })), (lines, cuts) => {
      const whole = Buffer.from(lines.map((each) => `${each}\n`).join(""));
      const splitter = new LineSplitter(1_000_000);
      const found: string[] = [];
      let from = 0;
      for (const length of cuts) {
        found.push(...splitter.add(whole.subarray(from, from + length)));
        from += length;
      }
      found.push(...splitter.add(whole.subarray(from)));
      assert.deepEqual(found, lines);
    }),
  );
});

it("a line that is too long is refused as soon as it is, also when it has no end", () => {
  const splitter = new LineSplitter(10);
  assert.deepEqual(splitter.add(Buffer.from("0123456789\n01234")), ["0123456789"]);
  assert.throws(() => splitter.add(Buffer.from("567890")), RangeError);
});
