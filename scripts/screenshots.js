// npm run screenshots: takes the pictures of docs/console.md anew, of a server with a few runs in a real browser.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./lib/root.js";
import { runNode } from "./lib/run-node.js";

const built = await runNode(join(root, "scripts/build.js"), ["--src", "--test"], { cwd: root });
if (built !== 0) process.exit(built);

const support = (name) => import(pathToFileURL(join(root, "build/test/browser/support", name)).href);
const { startBrowser } = await support("browser.js");
const { Stage } = await support("stage.js");
const { post } = await support("driven-run.js");
const { cardOf, press } = await support("card.js");

const folder = join(root, "docs/console");
mkdirSync(folder, { recursive: true });
const real = await startBrowser();
const stage = await Stage.open(real.browser);
try {
  await takeAll();
} finally {
  await stage.close();
  await real.close();
}

async function takeAll() {
  const { payout, question, story } = await fill();
  const page = await stage.page("/", { viewport: { width: 1200, height: 800 } });
  await cardOf(page, payout).getByText("A report was refused").waitFor();
  await cardOf(page, question).getByText("Which one").waitFor();
  await shoot(page, "inbox");

  await press(cardOf(page, payout), "It happened…");
  await cardOf(page, payout).getByLabel("payout_id").fill("42");
  await cardOf(page, payout).getByLabel("Note").fill("seen in the ledger of the provider");
  await cardOf(page, payout).getByLabel("Your name").fill("Rina");
  await press(cardOf(page, payout), "Review…");
  await press(page.getByRole("dialog"), "Record: it happened");
  await cardOf(page, payout).locator(".problem").first().waitFor();
  await page.setViewportSize({ width: 1200, height: 1210 });
  await page.evaluate("scrollTo(0, 0)");
  await shoot(page, "form");
  await page.setViewportSize({ width: 1200, height: 800 });
  await cardOf(page, payout).getByLabel("payout_id").fill("po_0042");
  await press(cardOf(page, payout), "Review…");
  await page.getByRole("dialog").waitFor();
  await shoot(page, "confirmation");

  await page.goto(`${stage.url}/runs`);
  await page.locator("tbody tr").nth(3).waitFor();
  await shoot(page, "runs");
  await page.goto(`${stage.url}/runs/${story.id}?at=1`);
  await page.locator("#event-4").waitFor();
  await page.locator("#event-2 summary").click();
  await shoot(page, "run");
  await page.goto(`${stage.url}/tools`);
  await page.getByText("Example input").first().click();
  await shoot(page, "tools");

  const dark = await stage.page("/", { viewport: { width: 1200, height: 800 }, colorScheme: "dark" });
  await cardOf(dark, payout).getByText("A report was refused").waitFor();
  await shoot(dark, "inbox-dark");
  const phone = await stage.page("/", { viewport: { width: 360, height: 740 } });
  await cardOf(phone, payout).getByText("A report was refused").waitFor();
  await shoot(phone, "phone");
}

async function fill() {
  const story = await stage.run({
    labels: { team: "cards", order: "A-1001" },
    input: { order_id: "A-1001" },
  });
  await story.intent("refund_card", { order_id: "A-1001", amount_cents: 4900 });
  await story.report({ refund_id: "re_0001", amount_cents: 4900 });
  await story.intent("bank_payout", { merchant_id: "M-3", amount_cents: 98_000 });
  const output = { payout_id: "po_0007", amount_cents: 98_000 };
  await post(stage.access, `/v1/runs/${story.id}/resolve`, {
    seq: 3,
    output,
    note: "seen in the ledger",
    operator: "Rina",
  });
  for (const order of ["A-1002", "A-1003", "A-1004", "A-1005"]) {
    const ended = await stage.run({ labels: { team: "cards", order } });
    await ended.intent("refund_card", { order_id: order, amount_cents: 2500 });
    await ended.report({ refund_id: `re_${order}`, amount_cents: 2500 });
    if (order === "A-1004") await ended.event("RunFailed", { error: "the order system was not there" });
    else await ended.event("RunCompleted", { output: "refunded" });
  }
  const payout = await stage.run({ labels: { team: "payouts", merchant: "M-12" } });
  await payout.intent("bank_payout", { merchant_id: "M-12", amount_cents: 480_000 });
  await payout.report({ payout_id: "po_0042", amount_cents: 48_000 });
  const question = await stage.run({ labels: { team: "cards", order: "A-1006" } });
  await question.event("Suspended", {
    reason: "The customer paid with two cards. Which one is refunded?",
    input_schema: {
      type: "object",
      required: ["card"],
      properties: { card: { enum: ["ending 4242", "ending 0341"] } },
    },
  });
  const budget = await stage.run({ labels: { team: "research" } });
  await budget.event("BudgetExceeded", { budget: { kind: "tokens", limit: 20_000 }, observed: 20_431 });
  return { payout, question, story };
}

async function shoot(page, name) {
  // What is laid out has to be drawn, too.
  await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
  await page.screenshot({ path: join(folder, `${name}.png`), animations: "disabled" });
}
