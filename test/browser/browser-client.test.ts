// The example of a page with no framework, in a real Chromium.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { root } from "../docs/pages.js";
import { startBrowser, type RealBrowser } from "./support/browser.js";

describe("the browser client", () => {
  let real: RealBrowser;
  let shop: ChildProcess;
  let url: string;

  before(async () => {
    shop = spawn(process.execPath, [join(root, "examples/browser-client/dist/main.js")], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const lines = createInterface({ input: shop.stdout! });
    const [[line], browser] = await Promise.all([once(lines, "line") as Promise<[string]>, startBrowser()]);
    real = browser;
    url = /open (\S+) /.exec(line)?.[1] ?? "";
  });
  after(async () => {
    await real.close();
    shop.kill("SIGTERM");
    const [code] = (await once(shop, "exit")) as [number | null];
    assert.equal(code, 0);
  });

  async function said(): Promise<unknown> {
    return (await fetch(`${url}/feedback`)).json();
  }

  it("records what it does, shows it live, and goes on where it was when it is loaded again in the middle", async () => {
    const context = await real.browser.newContext();
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("pageerror", ({ message }) => faults.push(message));
    await page.goto(url);
    const events = page.getByRole("listitem");
    await events.filter({ hasText: "0 RunStarted" }).waitFor();

    await page.getByLabel("Your words").fill("More colours, please.");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Thank you. Yours is number 1.").waitFor();
    await events.filter({ hasText: "2 ToolCallCompleted" }).waitFor();
    assert.deepEqual(await events.allTextContents(), [
      "0 RunStarted",
      "1 ToolCallRequested",
      "2 ToolCallCompleted",
    ]);

    // The shop has it, and the report does not arrive: then the page is gone.
    const reported = page.waitForRequest("**/client-tool-completion");
    await page.route("**/client-tool-completion", (route) => route.abort());
    await page.getByLabel("Your words").fill("And less noise.");
    await page.getByRole("button", { name: "Send" }).click();
    await reported;
    assert.deepEqual(await said(), { requests: 2, feedback: ["More colours, please.", "And less noise."] });
    await page.unroute("**/client-tool-completion");
    await page.reload();

    await page.getByText("Thank you. Yours is number 2.").waitFor();
    await events.filter({ hasText: "4 ToolCallCompleted" }).waitFor();
    assert.deepEqual(await said(), { requests: 3, feedback: ["More colours, please.", "And less noise."] });
    assert.deepEqual(faults, []);
    await context.close();
  });
});
