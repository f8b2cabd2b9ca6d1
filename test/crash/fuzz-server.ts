import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { DECLARED } from "../server/run-steps.js";
import { OPERATOR, type Actor } from "../server/run-world.js";
import { assertDescribed } from "../support/contract.js";
import { spawnServer, type SpawnedServer } from "../support/spawn-server.js";
import { toolModule } from "../support/tool-module.js";
import type { Answer } from "../support/test-server.js";

export const CLIENT = "client-secret";

const TOOLS = toolModule(`
import { suspend } from ${JSON.stringify(import.meta.resolve("salvor"))};
const keyed = { idempotencyKey: "order" };
add("send", "write", () => ({ did: "send" }));
add("pay", "write", () => ({ did: "pay" }), keyed);
add("look", "read", () => ({ did: "look" }));
add("set", "idempotent", () => ({ did: "set" }), keyed);
add("decline", "write", () => { throw new HandlerError("declined"); }, keyed);
add("vanish", "write", () => { throw new Error("gone"); }, keyed);
add("ask", "write", () => suspend("r", { type: "object" }), keyed);
`);

export interface Sent {
  readonly method?: string;
  readonly actor?: Actor;
  /** Instead of the actor's own. */
  readonly bearer?: string;
  readonly drive?: string | undefined;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
}

/** A spawned server with the property's tools, on a folder of its own, that is killed and started again. */
export class FuzzServer {
  private constructor(
    private readonly folder: string,
    private readonly args: readonly string[],
    private server: SpawnedServer,
  ) {}

  static async start(): Promise<FuzzServer> {
    const folder = await mkdtemp(join(tmpdir(), "salvor-fuzz-"));
    const tools = join(folder, "tools.mjs");
    await writeFile(tools, TOOLS);
    const files = await Promise.all(
      DECLARED.map(async (declared) => {
        const file = join(folder, `${declared.name}.toml`);
        await writeFile(file, tomlOf(declared as unknown as Record<string, unknown>));
        return file;
      }),
    );
    const args = [
      ...files.flatMap((file) => ["--client-tool", file]),
      ...["--tools", tools, "--auth-token", "FUZZ_CLIENT", "--operator-token", "FUZZ_OPERATOR"],
      ...["--log-level", "error"],
    ];
    return new FuzzServer(folder, args, await spawn(folder, args));
  }

  get url(): string {
    return this.server.url;
  }

  get dataDir(): string {
    return join(this.folder, "data");
  }

  /** What it wrote on standard error since it was started. */
  get stderr(): string {
    return this.server.stderr;
  }

  async killAndStart(): Promise<void> {
    await this.server.kill();
    this.server = await spawn(this.folder, this.args);
  }

  /** Stops it, and leaves the folder. */
  async stop(): Promise<void> {
    await this.server.stop();
  }

  async remove(): Promise<void> {
    await this.server.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The answer, held to the server's description; `undefined` when it was lost. */
  async ask(
    path: string,
    { method = "POST", actor, bearer, drive, body, raw }: Sent,
  ): Promise<Answer | undefined> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.url + path, {
        method,
        headers: {
          connection: "close",
          authorization: `Bearer ${bearer ?? (actor === "operator" ? OPERATOR : CLIENT)}`,
          ...(drive !== undefined && { "x-drive-token": drive }),
        },
        ...(method !== "GET" && { body: raw ?? JSON.stringify(body) }),
      });
      text = await response.text();
    } catch {
      return undefined;
    }
    const { status, headers } = response;
    assertDescribed({ method, path, status, headers, text });
    return { status, headers, text, json: JSON.parse(text) as unknown };
  }
}

function spawn(folder: string, args: readonly string[]): Promise<SpawnedServer> {
  const env = { FUZZ_CLIENT: CLIENT, FUZZ_OPERATOR: OPERATOR };
  return spawnServer({ dataDir: join(folder, "data"), args, env });
}

/** A declaration as TOML, its schemas inline. */
function tomlOf(declared: Readonly<Record<string, unknown>>): string {
  return Object.entries(declared)
    .map(([key, value]) => `${key} = ${inline(value)}\n`)
    .join("");
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, member]) => `${key} = ${inline(member)}`)
    .join(", ")} }`;
}
