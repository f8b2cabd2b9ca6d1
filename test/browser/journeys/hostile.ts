import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { cardOf, press } from "../support/card.js";
import { Stage } from "../support/stage.js";

const IMAGE = '<img src=x onerror="window.hit=1">';
const STRINGS = [
  IMAGE,
  '"><script>window.hit=1</script>',
  "javascript:window.hit=1",
  "\u202e00.521 :diap\u202c",
  "مرحبا بالعالم",
  "__proto__",
  "constructor",
  "a\u0000b\u200bc\u2066d\n\te",
  "x".repeat(10_000),
  "W\u0308".repeat(2_000),
];

/** What clients write may be anything. */
export function hostile(browser: () => Browser): void {
  describe("hostile strings", () => {
    let stage: Stage;
    before(async () => {
      stage = await Stage.open(browser());
    });
    afterEach(() => stage.closePages());
    after(() => stage.close());

    it("are words, wherever they stand", async () => {
      const labels = Object.fromEntries(
        STRINGS.slice(0, 8).map((text, at) => [`${at}${text.slice(0, 20)}`, text.slice(0, 60)]),
      );
      const waiting = await stage.run({ labels, input: STRINGS });
      await waiting.intent("bank_payout", { merchant_id: IMAGE, amount_cents: 5, note: STRINGS.join(" ") });
      await waiting.report({ payout_id: IMAGE, amount_cents: 5, [IMAGE]: STRINGS });
      for (const text of STRINGS) {
        const asking = await stage.run({ labels: { [`of ${text.slice(0, 30)}`]: text.slice(0, 100) } });
        await asking.event("Suspended", {
          reason: text,
          input_schema: {
            title: text,
            type: "object",
            required: ["constructor"],
            properties: {
              [text === "__proto__" ? "toString" : text]: {
                type: "string",
                title: text,
                description: text,
                pattern: "a",
              },
              constructor: { enum: [text, { [IMAGE]: text }] },
              either: {
                oneOf: [
                  { title: text, const: text },
                  { type: "object", properties: { hasOwnProperty: { const: text } } },
                ],
              },
            },
          },
        });
      }
      const failed = await stage.run();
      await failed.event("RunFailed", { error: IMAGE });

      const page = await stage.page();
      await page.getByRole("article").nth(STRINGS.length).waitFor();
      const cards = await page.getByRole("article").all();
      for (const card of cards) {
        await card.getByRole("button", { name: /^(?:It happened|Answer and resume)…$/ }).click();
      }
      const card = cardOf(page, waiting);
      await card.getByLabel("payout_id").fill(IMAGE);
      await press(card, "Review…");
      const dialog = page.getByRole("dialog");
      assert.ok((await dialog.innerText()).includes(IMAGE));
      await press(dialog, "Record: it happened");
      await card.getByRole("alert").waitFor();
      await page.goto(`${stage.url}/runs`);
      await page.getByRole("row").nth(STRINGS.length).waitFor();
      for (const run of [waiting, failed]) {
        await page.goto(`${stage.url}/runs/${run.id}`);
        await page.locator("#event-1").waitFor();
        for (const fold of await page.locator("summary").all()) await fold.click();
      }
      const { hit, images, scripts } = await page.evaluate(() => ({
        hit: (window as unknown as { hit?: number }).hit,
        images: document.images.length,
        scripts: document.scripts.length,
      }));
      assert.deepEqual({ hit, images, scripts }, { hit: undefined, images: 0, scripts: 1 });
    });

    it("do not turn about or hide what stands beside them", async () => {
      const run = await stage.run();
      await run.event("Suspended", { reason: "pay \u202e00.5\u200b", input_schema: true });
      const page = await stage.page(`/runs/${run.id}`);
      await page.locator(".why", { hasText: "pay \\u202e00.5\\u200b" }).waitFor();
    });

    it("in an address lead nowhere", async () => {
      for (const path of [
        "/runs/%3Cimg%20src=x%3E",
        "/runs?label=%3Cimg%3E&tool=__proto__&status=constructor&after=%00",
      ]) {
        const page = await stage.page(path);
        await page.locator(".empty").waitFor();
        assert.equal(await page.evaluate(() => document.images.length), 0);
      }
    });
  });
}
