import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnServer, type SpawnedServer } from "../../support/spawn-server.js";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { writeDeclarations } from "./declarations.js";
import { DrivenRun, type Access } from "./driven-run.js";

export const CLIENT_TOKEN = "client-token-of-the-tests";
export const OPERATOR_TOKEN = "operator-token-of-the-tests";

export interface StageOptions {
  /** Whether the server has a client and an operator token. */
  readonly tokens?: boolean;
  /** Seconds after which a silent driver is gone; 1 unless given, so that what it left open waits for a person. */
  readonly leaseSeconds?: number;
  /** Fills the data folder before the server starts. */
  readonly prepare?: (dataDir: string) => Promise<void>;
}

/** A server with declarations, and pages of a browser that show it. */
export class Stage {
  #server: SpawnedServer;
  readonly #contexts: BrowserContext[] = [];
  /** What went wrong in the pages themselves. */
  readonly faults: string[] = [];
  private constructor(
    private readonly folder: string,
    private readonly options: StageOptions,
    private readonly browser: Browser,
    server: SpawnedServer,
  ) {
    this.#server = server;
  }

  static async open(browser: Browser, options: StageOptions = {}): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), "salvor-console-"));
    await writeDeclarations(folder);
    const dataDir = join(folder, "data");
    await options.prepare?.(dataDir);
    return new Stage(folder, options, browser, await serve(folder, options, "127.0.0.1:0"));
  }

  get url(): string {
    return this.#server.url;
  }

  /** How drivers reach the server. */
  get access(): Access {
    return { url: this.url, token: this.options.tokens === true ? CLIENT_TOKEN : undefined };
  }

  run(options?: Parameters<typeof DrivenRun.start>[1]): Promise<DrivenRun> {
    return DrivenRun.start(this.access, options);
  }

  /** A page of its own, with nothing of the others. */
  async page(path = "/", options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({
      viewport: { width: 1280, height: 860 },
      locale: "en-GB",
      timezoneId: "UTC",
      ...options,
    });
    this.#contexts.push(context);
    const page = await context.newPage();
    // Whatever a page throws, or its policy refuses, is a fault.
    page.on("pageerror", (error) => this.faults.push(error.message));
    page.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) this.faults.push(message.text());
    });
    page.setDefaultTimeout(15_000);
    await page.goto(this.url + path);
    return page;
  }

  kill(): Promise<unknown> {
    return this.#server.kill();
  }

  /** Starts a server again where the one before was, on the same folder. */
  async startAgain(): Promise<void> {
    this.#server = await serve(this.folder, this.options, new URL(this.url).host);
  }

  /** Closes the pages of a test. */
  async closePages(): Promise<void> {
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
    assert.deepEqual(this.faults.splice(0), []);
  }

  async close(): Promise<void> {
    await this.closePages();
    await this.#server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function serve(folder: string, options: StageOptions, bind: string): Promise<SpawnedServer> {
  const tokens = options.tokens === true;
  return spawnServer({
    dataDir: join(folder, "data"),
    bind,
    args: [
      ...["--client-tool", join(folder, "declarations")],
      ...(tokens ? ["--auth-token", "SALVOR_TEST_CLIENT", "--operator-token", "SALVOR_TEST_OPERATOR"] : []),
    ],
    env: {
      SALVOR_CLIENT_LEASE_TTL_SECS: String(options.leaseSeconds ?? 1),
      ...(tokens && { SALVOR_TEST_CLIENT: CLIENT_TOKEN, SALVOR_TEST_OPERATOR: OPERATOR_TOKEN }),
    },
  });
}
