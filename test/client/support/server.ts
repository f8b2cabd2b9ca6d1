import { cp, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClientToolRegistry, type DeclarationInput } from "#salvor/declarations/index.js";
import { AppState, startServer, type RunningServer } from "#salvor/server/index.js";
import { openLowdbStore } from "#salvor/store/index.js";

export interface Tokens {
  readonly clientToken?: string;
  readonly operatorToken?: string;
}

/** A real server on a folder of its own, which can be ended and started again on the same data. */
export class TestServer {
  readonly #dir: string;
  readonly #tokens: Tokens;
  #tools: ClientToolRegistry;
  #running: RunningServer | undefined;

  private constructor(dir: string, declarations: readonly DeclarationInput[], tokens: Tokens) {
    this.#dir = dir;
    this.#tools = toolsOf(declarations);
    this.#tokens = tokens;
  }

  static async start(declarations: readonly DeclarationInput[], tokens: Tokens = {}): Promise<TestServer> {
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
  async resume(declarations?: readonly DeclarationInput[], port = 0): Promise<void> {
    if (declarations !== undefined) this.#tools = toolsOf(declarations);
    const store = await openLowdbStore({ dir: this.#dir });
    const state = new AppState({ store, ...this.#tokens }).withClientTools(this.#tools);
    this.#running = await startServer(state, { host: "127.0.0.1", port });
  }

  async stop(): Promise<void> {
    await this.#running?.close(0);
    this.#running = undefined;
  }

  /** Keeps the data as they are now, of a server that is stopped. */
  async backUp(): Promise<void> {
    await cp(this.#dir, `${this.#dir}.backup`, { recursive: true });
  }

  /** Puts back what was kept, of a server that is stopped. */
  async restore(): Promise<void> {
    await rm(this.#dir, { recursive: true });
    await rename(`${this.#dir}.backup`, this.#dir);
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(`${this.#dir}.backup`, { recursive: true, force: true });
    await rm(this.#dir, { recursive: true, force: true });
  }
}

function toolsOf(declarations: readonly DeclarationInput[]): ClientToolRegistry {
  const registry = new ClientToolRegistry();
  for (const declaration of declarations) registry.declare(declaration);
  return registry;
}
