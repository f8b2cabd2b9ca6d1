import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mcpMount } from "#salvor/cli/mcp-mount.js";
import type { DynTool } from "#salvor/index.js";
import { RecordedTools } from "#salvor/mcp/server/recorded-tools.js";
import { WatchedTools } from "#salvor/mcp/server/watched-tools.js";
import { AppState, startServer, type AppOptions, type RunningServer } from "#salvor/server/index.js";
import { openLowdbStore, type EventStore } from "#salvor/store/index.js";
import type { Envelope } from "#salvor/log/events.js";
import { hostedTools } from "../../support/hosted-tools.js";
import { connect, type Answer, type ClientKind, type TestClient } from "./clients.js";

/** An MCP server over HTTP in this process, on a store in a folder of its own, with the control plane beside it. */
export class McpWorld {
  readonly #clients: TestClient[] = [];

  private constructor(
    private readonly dir: string,
    readonly store: EventStore,
    private readonly running: RunningServer,
  ) {}

  static async start(tools: readonly DynTool[], options: Omit<AppOptions, "store"> = {}): Promise<McpWorld> {
    const dir = await mkdtemp(join(tmpdir(), "salvor-mcp-"));
    const store = await openLowdbStore({ dir });
    const set = hostedTools(...tools);
    const watched = new WatchedTools(set);
    const state = new AppState({ ...options, store }).withTools(watched);
    const { recorder, hosted } = state;
    const descriptors = () => [...tools].sort((a, b) => (a.name < b.name ? -1 : 1));
    const served = new RecordedTools({
      recorder,
      hosted,
      tools: { descriptors },
      watched,
      timeoutMs: 30_000,
    });
    const mounted = await mcpMount(state, served, { where: "with --url HERE" });
    return new McpWorld(dir, store, await startServer(state, { host: "127.0.0.1", port: 0, mounted }));
  }

  get url(): string {
    return this.running.url;
  }

  get mcpUrl(): string {
    return `${this.url}/mcp`;
  }

  async client(kind: ClientKind, answer?: Answer, headers: Record<string, string> = {}): Promise<TestClient> {
    const client = await connect(kind, { url: this.mcpUrl, headers }, answer);
    this.#clients.push(client);
    return client;
  }

  /** Resolves once the server has seen what happened to its connections before: a few answers on another one come after that. */
  async caughtUp(): Promise<void> {
    for (let turn = 0; turn < 5; turn += 1) await (await fetch(`${this.url}/healthz`)).text();
  }

  /** What a run recorded, from its start. */
  log(run: string): Promise<readonly Envelope[]> {
    return this.store.readLog(run);
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((each) => each.close().catch(() => undefined)));
    await this.running.close(1_000);
    await rm(this.dir, { recursive: true, force: true });
  }
}

/** The run that an answer names. */
export function runOf(result: { readonly _meta?: Record<string, unknown> }): string {
  const run = result._meta?.["salvor.dev/run"];
  if (typeof run !== "string") throw new Error(`the answer names no run: ${JSON.stringify(result)}`);
  return run;
}

/** The first text of an answer. */
export function textOf(result: { readonly content?: readonly { readonly text?: string }[] }): string {
  return result.content?.[0]?.text ?? "";
}
