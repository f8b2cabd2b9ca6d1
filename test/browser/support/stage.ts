import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { spawnServer, type SpawnedServer } from "../../support/spawn-server.js";
import { startBrowser, type RealBrowser } from "./browser.js";
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

/** A server with declarations, a browser, and pages in it. */
export class Stage {
  #server: SpawnedServer;
  readonly #contexts: BrowserContext[] = [];
  private constructor(
    private readonly folder: string,
    private readonly options: StageOptions,
    private readonly real: RealBrowser,
    server: SpawnedServer,
  ) {
    this.#server = server;
  }

  static async open(options: StageOptions = {}): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), "salvor-console-"));
    await writeDeclarations(folder);
    const dataDir = join(folder, "data");
    await options.prepare?.(dataDir);
    const [real, server] = await Promise.all([startBrowser(), serve(folder, options, "127.0.0.1:0")]);
    return new Stage(folder, options, real, server);
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
  async page(path = "/", options: Parameters<RealBrowser["browser"]["newContext"]>[0] = {}): Promise<Page> {
    const context = await this.real.browser.newContext({
      viewport: { width: 1280, height: 860 },
      locale: "en-GB",
      ...options,
    });
    this.#contexts.push(context);
    const page = await context.newPage();
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
  }

  async close(): Promise<void> {
    await this.closePages();
    await Promise.all([this.real.close(), this.#server.stop()]);
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
