import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { post } from "../support/driven-run.js";
import { Stage } from "../support/stage.js";

/** A run's timeline, and the tools. */
export function reading(browser: () => Browser): void {
  describe("reading", () => {
    let stage: Stage;
    before(async () => {
      stage = await Stage.open(browser());
    });
    afterEach(() => stage.closePages());
    after(() => stage.close());

    it("tells a run event by event, with who, effect, key, and what is in it", async () => {
      const run = await stage.run({ labels: { team: "eu" }, input: { order: 1 } });
      const key = await run.intent("bank_payout", { merchant_id: "M-1", amount_cents: 100 });
      await run.report({ payout_id: "po_1", amount_cents: 1 });
      await post(stage.access, `/v1/runs/${run.id}/resolve`, {
        output: { payout_id: "po_1", amount_cents: 100 },
        note: "in the ledger",
        operator: "Rina",
      });
      const page = await stage.page(`/runs/${run.id}`);
      const call = page.locator("#event-1");
      await call.getByText("bank_payout").waitFor();
      assert.match(await call.innerText(), /write[\s\S]*by client[\s\S]*key sha256:/);
      assert.equal(await call.locator("code").first().getAttribute("title"), key);
      await call.getByText("input").click();
      await call.getByText('"merchant_id"').waitFor();
      assert.match(
        await page.locator("#event-2").innerText(),
        /Settled: it happened[\s\S]*by Rina[\s\S]*in the ledger/,
      );
    });

    it("shows the state at any point, and has an address for it", async () => {
      const run = await stage.run();
      await run.intent("refund_card", { order_id: "A-1", amount_cents: 100 });
      await run.report({ refund_id: "re_1", amount_cents: 100 });
      await run.event("RunCompleted", { output: "done" });
      const page = await stage.page(`/runs/${run.id}?at=1`);
      const state = page.getByRole("complementary", { name: "State at a point of the timeline" });
      await state.getByText("State after event 1").waitFor();
      await state.getByText("open write").waitFor();
      await page.getByRole("slider", { name: "Event" }).focus();
      await page.keyboard.press("ArrowRight");
      await state.getByText("State after event 2").waitFor();
      assert.match(page.url(), /\?at=2$/);
      await page.getByRole("button", { name: "State here, after event 0" }).click();
      await state.getByText("State after event 0").waitFor();
      await page.getByRole("slider", { name: "Event" }).fill("3");
      await state.getByText('"done"').waitFor();
    });

    it("follows a run live, also when it waits for a person meanwhile", async () => {
      const run = await stage.run();
      const page = await stage.page(`/runs/${run.id}`);
      await page.locator("#event-0").waitFor();
      await run.intent("refund_card", { order_id: "A-2", amount_cents: 100 });
      await page.locator("#event-1").waitFor();
      await run.report({ refund_id: "re_1", amount_cents: 100 });
      await run.event("Suspended", { reason: "More?", input_schema: true });
      await page.locator("#event-3").waitFor();
      await post(stage.access, `/v1/runs/${run.id}/resume`, { input: true });
      await page.locator("#event-4").waitFor();
      await page.locator(".view-head .state", { hasText: "running" }).waitFor();
    });

    it("keeps every digit of a number that a double cannot hold", async () => {
      const run = await stage.run();
      const envelope = `{"run_id":"${run.id}","seq":1,"schema_version":1,"recorded_at":"","event":{"kind":"RandomObserved","payload":{"value":18446744073709551615}}}`;
      await run.raw("events", `{"events":[${envelope}]}`);
      const page = await stage.page(`/runs/${run.id}`);
      await page.getByText("value 18446744073709551615").waitFor();
    });

    it("copies keys, and commands without a token in them", async () => {
      const run = await stage.run();
      const key = await run.intent("bank_payout", { merchant_id: "M-1", amount_cents: 100 });
      const page = await stage.page(`/runs/${run.id}`, {
        permissions: ["clipboard-read", "clipboard-write"],
      });
      const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
      await page.locator("#event-1").getByRole("button", { name: "Copy the idempotency key" }).click();
      await page.locator("#event-1").getByText("Copied").waitFor();
      assert.equal(await copied(), key);
      await page.getByRole("button", { name: "Copy as curl to read this run" }).click();
      await page.locator(".facts").getByText("Copied").waitFor();
      assert.equal(await copied(), `curl -N '${stage.url}/v1/runs/${run.id}/events?from_seq=0'`);
    });

    it("says the rules of each tool in words, with its schema and an example that it accepts", async () => {
      const page = await stage.page("/tools");
      const card = page.getByRole("article").filter({ hasText: "ship_order" });
      await card
        .getByText("A person settles every call: what a client reports is kept, and closes nothing.")
        .waitFor();
      const payout = page.getByRole("article").filter({ hasText: "bank_payout" });
      await payout.getByText("Example input").click();
      const example = JSON.parse(await payout.locator("pre").first().innerText()) as unknown;
      const run = await stage.run();
      assert.notEqual(await run.intent("bank_payout", example), null);
    });

    it("of a run that does not exist says so", async () => {
      const page = await stage.page("/runs/00000000-0000-4000-8000-000000000000");
      // Not what stands there while the run is being read.
      const said = page.locator(".empty", { hasText: /no run|unknown/i });
      await said.waitFor();
      assert.equal(await said.count(), 1);
    });
  });
}
