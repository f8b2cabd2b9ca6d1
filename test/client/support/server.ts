import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "#salvor/contract/json.js";
import type { ClientToolDeclaration, DeclaredTool } from "#salvor/declarations/declared-tool.js";
import { compileStrict } from "#salvor/schema/index.js";
import { AppState, startServer, type ClientTools, type RunningServer } from "#salvor/server/index.js";
import { openLowdbStore } from "#salvor/store/index.js";

export interface Tokens {
  readonly clientToken?: string;
  readonly operatorToken?: string;
}

/** A real server on a folder of its own, which can be ended and started again on the same data. */
export class TestServer {
  readonly #dir: string;
  readonly #tokens: Tokens;
  #tools: ClientTools;
  #running: RunningServer | undefined;

  private constructor(dir: string, declarations: readonly ClientToolDeclaration[], tokens: Tokens) {
    this.#dir = dir;
    this.#tools = toolsOf(declarations);
    this.#tokens = tokens;
  }

  static async start(
    declarations: readonly ClientToolDeclaration[],
    tokens: Tokens = {},
  ): Promise<TestServer> {
    const dir = await mkdtemp(join(tmpdir(), "salvor-client-"));
    const server = new TestServer(dir, declarations, tokens);
    await server.resume();
    return server;
  }

  get url(): string {
    if (this.#running === undefined) throw new Error("the server is not running");
    return this.#running.url;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Starts again, on the same data and, unless given, any free port. */
  async resume(declarations?: readonly ClientToolDeclaration[], port = 0): Promise<void> {
    if (declarations !== undefined) this.#tools = toolsOf(declarations);
    const store = await openLowdbStore({ dir: this.#dir });
    const state = new AppState({ store, ...this.#tokens }).withClientTools(this.#tools);
    this.#running = await startServer(state, { host: "127.0.0.1", port });
  }

  async stop(): Promise<void> {
    await this.#running?.close(0);
    this.#running = undefined;
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.#dir, { recursive: true, force: true });
  }
}

function toolsOf(declarations: readonly ClientToolDeclaration[]): ClientTools {
  const tools = new Map<string, DeclaredTool>();
  for (const declaration of declarations) {
    tools.set(declaration.name, {
      declaration,
      judgeInput: compileStrict(declaration.input_schema),
      ...(declaration.output_schema && { judgeOutput: compileStrict(declaration.output_schema) }),
    });
  }
  return {
    get: (name) => tools.get(name),
    published: () =>
      [...declarations]
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map((declaration) => declaration as unknown as JsonObject),
  };
}
