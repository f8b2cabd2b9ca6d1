import { after, before, describe, it } from "node:test";
import { Stage } from "./support/stage.js";

describe("the operator's page", () => {
  let stage: Stage;
  before(async () => {
    stage = await Stage.open();
  });
  after(() => stage.close());

  it("is there", async () => {
    const run = await stage.run({ labels: { team: "payouts", region: "eu-west" } });
    await run.intent("bank_payout", { merchant_id: "M-7", amount_cents: 125_000, note: "weekly" });
    await run.report({ payout_id: "po_1", amount_cents: 120_000 });
    const other = await stage.run();
    await other.event("Suspended", {
      reason: "Is this address right?",
      input_schema: {
        type: "object",
        required: ["ok"],
        properties: { ok: { type: "boolean" }, comment: { type: "string" } },
      },
    });
    const third = await stage.run({ labels: { order: "A-1" } });
    await third.intent("refund_card", { order_id: "A-1", amount_cents: 2500 });
    const page = await stage.page();
    page.on("pageerror", (e) => { console.log("E", e); });
    page.on("console", (m) => { console.log("C", m.text()); });
    await page.getByRole("heading", { name: "bank_payout" }).waitFor();
    await page.waitForTimeout(1500);
    await page.screenshot({ path: "/tmp/cns/inbox.png", fullPage: true });
    await page
      .getByRole("article", { name: "bank_payout" })
      .getByRole("button", { name: "It happened…" })
      .click();
    await page.screenshot({ path: "/tmp/cns/form.png", fullPage: true });
    await page.getByLabel("payout_id").fill("po_7");
    await page.getByRole("button", { name: "Review…" }).click();
    await page.waitForTimeout(300);
    await page.screenshot({ path: "/tmp/cns/confirm.png", fullPage: true });
    await page.getByRole("button", { name: "Record: it happened" }).click();
    await page.waitForTimeout(500);
    await page.screenshot({ path: "/tmp/cns/done.png", fullPage: true });
    await page.goto(stage.url + "/runs");
    await page.waitForTimeout(700);
    await page.screenshot({ path: "/tmp/cns/runs.png" });
    await page.goto(stage.url + "/runs/" + run.id);
    await page.waitForTimeout(700);
    await page.screenshot({ path: "/tmp/cns/run.png" });
    await page.goto(stage.url + "/tools");
    await page.waitForTimeout(700);
    await page.screenshot({ path: "/tmp/cns/tools.png" });
  });
});
