import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { manyRuns } from "../support/many-runs.js";
import { Stage } from "../support/stage.js";

const RUNS = 20_000;

/** Tens of thousands of runs. */
export function listing(browser: () => Browser): void {
  describe(`a list of ${RUNS} runs`, () => {
    let stage: Stage;
    before(async () => {
      stage = await Stage.open(browser(), { prepare: (dir) => manyRuns(dir, RUNS) });
    });
    afterEach(() => stage.closePages());
    after(() => stage.close());

    const rows = (page: Page) => page.locator("tbody tr");
    const orders = (page: Page): Promise<readonly string[]> =>
      page.locator("tbody .label", { hasText: "order" }).locator(".label-value").allInnerTexts();
    const shows = async (page: Page, first: string): Promise<void> => {
      await rows(page).first().getByText(first, { exact: true }).waitFor();
    };

    it("is there soon, as is what waits among them", async () => {
      const page = await stage.page("/tools");
      await page.getByRole("article").first().waitFor();
      for (const [name, path, sign] of [
        ["inbox", "/", "article"],
        ["runs", "/runs", "tbody tr"],
      ] as const) {
        const begun = performance.now();
        await page.goto(stage.url + path);
        await page.locator(sign).first().waitFor();
        // Told and not judged: how fast this machine is right now is no property of the page.
        const ms = Math.round(performance.now() - begun);
        process.stdout.write(`the first view of ${name} with ${RUNS} runs took ${ms} ms\n`);
      }
    });

    it("shows in the inbox what waits, the longest wait first, some at a time", async () => {
      const page = await stage.page("/");
      await page.getByText("20 runs wait for a person, the longest wait first.").waitFor();
      await page.getByText('"M-999"').waitFor();
      assert.match(await page.getByRole("article").first().innerText(), /M-999/);
    });

    it("is paged, newest first, forward and back", async () => {
      const page = await stage.page("/runs");
      await shows(page, "A-19999");
      assert.equal(await rows(page).count(), 50);
      await page.getByRole("button", { name: "Next page →" }).click();
      await shows(page, "A-19949");
      await page.getByRole("button", { name: "Next page →" }).click();
      await shows(page, "A-19899");
      await page.getByRole("button", { name: "← Page before" }).click();
      await shows(page, "A-19949");
      await page.getByRole("link", { name: "First page" }).click();
      await shows(page, "A-19999");
    });

    it("is filtered by group, state, tool and label, in an address that can be sent to somebody", async () => {
      const page = await stage.page("/runs");
      await page.getByLabel("Open call of").selectOption("bank_payout");
      await page.getByText("open write").nth(19).waitFor();
      assert.equal(await rows(page).count(), 20);
      await page.getByLabel("Order").selectOption("oldest");
      await shows(page, "A-999");
      await page.getByLabel("Label").fill("order=A-4999");
      await shows(page, "A-4999");
      assert.equal(await rows(page).count(), 1);
      const again = await stage.page(page.url().slice(stage.url.length));
      await shows(again, "A-4999");
      assert.equal(await again.getByLabel("Label").inputValue(), "order=A-4999");

      await page.goto(`${stage.url}/runs`);
      await page.getByLabel("State", { exact: true }).selectOption("failed");
      await page.locator("tbody .state-failed").nth(49).waitFor();
      assert.ok((await orders(page)).every((order) => Number(order.slice(2)) % 17 === 0));
      await page.getByLabel("Group").selectOption("waiting");
      await page.getByText("No run is like that.").waitFor();
      await page.getByLabel("State", { exact: true }).selectOption("");
      await page.getByText("open write").nth(19).waitFor();
    });

    it("is live: what is recorded meanwhile is there without a reload", async () => {
      const page = await stage.page("/runs");
      await shows(page, "A-19999");
      const run = await stage.run({ labels: { order: "A-new" } });
      await shows(page, "A-new");
      await run.event("RunCompleted", { output: null });
      await rows(page).first().getByText("completed").waitFor();
    });
  });
}
