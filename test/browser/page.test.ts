import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { spawnServer, type SpawnedServer } from "../support/spawn-server.js";
import { startBrowser, type RealBrowser } from "./support/browser.js";

describe("the operator's page", () => {
  let browser: RealBrowser;
  let server: SpawnedServer;
  before(async () => {
    [browser, server] = await Promise.all([startBrowser(), spawnServer()]);
  });
  after(async () => {
    await Promise.all([browser.close(), server.stop()]);
  });

  it("is there", async () => {
    const page = await browser.browser.newPage();
    const answer = await page.goto(server.url);
    assert.equal(answer?.status(), 200);
    await page.locator("h1").waitFor();
    assert.equal(await page.title(), "Salvor");
    await page.close();
  });
});
