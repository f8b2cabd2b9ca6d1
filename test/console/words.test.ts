import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import fc from "fast-check";
import { pageModule } from "./support/page-module.js";

describe("the words of the page", () => {
  let visible: (text: string) => string;
  let visibleLines: (text: string) => string;
  let centsText: (cents: number) => string;
  let lengthOf: (ms: number) => string;
  before(async () => {
    ({ visible, visibleLines } = await pageModule<{
      visible: typeof visible;
      visibleLines: typeof visibleLines;
    }>("ui/visible.ts"));
    ({ centsText } = await pageModule<{ centsText: typeof centsText }>("ui/money.ts"));
    ({ lengthOf } = await pageModule<{ lengthOf: typeof lengthOf }>("ui/time.tsx"));
  });

  it("hold nothing that hides or turns about what stands beside it", () => {
    const any = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(any, (text) => {
        assert.doesNotMatch(visible(text), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        assert.doesNotMatch(visibleLines(text).replaceAll(/[\n\t]/g, ""), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
    assert.equal(visible("pay \u202e00.5\n"), "pay \\u202e00.5\\u000a");
    assert.equal(visibleLines("a\n\tb\r"), "a\n\tb\\u000d");
    assert.equal(visible("Zoë → 東京 مرحبا 👍"), "Zoë → 東京 مرحبا 👍");
  });

  it("say hundredths as money, to the last digit", () => {
    const said = [0, 5, 50, 100, 125_000, -1, -99_999_999, Number.MAX_SAFE_INTEGER].map((cents) =>
      centsText(cents),
    );
    assert.deepEqual(said, [
      "0.00",
      "0.05",
      "0.50",
      "1.00",
      "1,250.00",
      "-0.01",
      "-999,999.99",
      "90,071,992,547,409.91",
    ]);
    fc.assert(
      fc.property(fc.maxSafeInteger(), (cents) => {
        assert.equal(BigInt(centsText(cents).replaceAll(/[,.]/g, "")), BigInt(cents));
      }),
    );
  });

  it("say how long something takes in its largest two units", () => {
    const said = [-5, 0, 59_999, 60_000, 3_600_000, 5_700_000, 86_400_000, 180_000_000].map((ms) =>
      lengthOf(ms),
    );
    assert.deepEqual(said, ["0 s", "0 s", "59 s", "1 min", "1 h", "1 h 35 min", "1 d", "2 d 2 h"]);
  });
});
