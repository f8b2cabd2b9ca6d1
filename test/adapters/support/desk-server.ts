import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SalvorClient } from "#salvor/client/index.js";
import { spawnServer, type SpawnedServer } from "../../support/spawn-server.js";
import { DESK_DECLARATIONS } from "./desk.js";

const TOKENS = { DESK_CLIENT: "desk-client", DESK_OPERATOR: "desk-operator" };

/** A real `salvor serve` with the desk's declarations, a client token and an operator token, in a folder of its own. */
export class DeskServer {
  readonly token = TOKENS.DESK_CLIENT;
  #folders = 0;

  private constructor(
    private readonly folder: string,
    private readonly process: SpawnedServer,
  ) {}

  static async start(): Promise<DeskServer> {
    const folder = await mkdtemp(join(tmpdir(), "salvor-desk-"));
    const declarations = join(folder, "declarations");
    await mkdir(declarations);
    for (const [name, text] of Object.entries(DESK_DECLARATIONS)) {
      await writeFile(join(declarations, name), text);
    }
    const args = [
      ...["--client-tool", declarations, "--log-level", "warn"],
      ...["--auth-token", "DESK_CLIENT", "--operator-token", "DESK_OPERATOR"],
    ];
    return new DeskServer(folder, await spawnServer({ args, env: TOKENS, dataDir: join(folder, "data") }));
  }

  get url(): string {
    return this.process.url;
  }

  /** A client that may drive, and not decide. */
  client(): SalvorClient {
    return new SalvorClient({ url: this.url, token: this.token });
  }

  /** A client that may decide. */
  operator(): SalvorClient {
    return new SalvorClient({ url: this.url, operatorToken: TOKENS.DESK_OPERATOR });
  }

  /** A fresh folder, which goes when the server is stopped. */
  async newFolder(): Promise<string> {
    const folder = join(this.folder, `books-${(this.#folders += 1)}`);
    await mkdir(folder);
    return folder;
  }

  async stop(): Promise<void> {
    await this.process.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
