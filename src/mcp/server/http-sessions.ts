import type { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import type { ServerResponse } from "node:http";
import type { LowLevelServer } from "./sdk.js";

/** A client's session, in the revisions of the protocol that have them. */
export interface HttpSession {
  readonly server: LowLevelServer;
  readonly transport: NodeStreamableHTTPServerTransport;
}

interface Entry {
  readonly session: HttpSession;
  /** How many of its requests are being answered. */
  busy: number;
  lastUsed: number;
}

export interface SessionBounds {
  /** How many sessions there may be; the one that was idle longest makes room for a new one. */
  readonly most: number;
  /** How long a session is kept that nothing is asked of, in milliseconds. */
  readonly idleMs: number;
}

/** The sessions of an MCP server over HTTP: no more than so many, and none for ever. */
export class HttpSessions {
  readonly #entries = new Map<string, Entry>();

  constructor(
    private readonly bounds: SessionBounds,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get size(): number {
    return this.#entries.size;
  }

  get(id: string): HttpSession | undefined {
    return this.#entries.get(id)?.session;
  }

  add(id: string, session: HttpSession): void {
    this.#entries.set(id, { session, busy: 0, lastUsed: this.now() });
  }

  remove(id: string): void {
    this.#entries.delete(id);
  }

  /** Keeps a session while a response of it is open. */
  use(id: string, response: ServerResponse): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.busy += 1;
    response.once("close", () => {
      entry.busy -= 1;
      entry.lastUsed = this.now();
    });
  }

  /** Ends what was idle for too long, and one more if there is no room; answers whether there is room for a new one. */
  async makeRoom(): Promise<boolean> {
    const idle = [...this.#entries].filter(([, { busy }]) => busy === 0);
    idle.sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
    const old = this.now() - this.bounds.idleMs;
    const ending = idle.filter(([, { lastUsed }]) => lastUsed < old);
    if (this.#entries.size - ending.length >= this.bounds.most)
      ending.push(...idle.slice(ending.length).slice(0, 1));
    await Promise.all(ending.map(([id, { session }]) => this.#end(id, session)));
    return this.#entries.size < this.bounds.most;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#entries].map(([id, { session }]) => this.#end(id, session)));
  }

  async #end(id: string, { server }: HttpSession): Promise<void> {
    this.#entries.delete(id);
    await server.close();
  }
}
