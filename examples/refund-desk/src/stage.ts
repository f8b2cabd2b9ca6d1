import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SalvorClient } from "salvor/client";
import type { ExpectedPayment } from "./check-books.js";
import type { Child } from "./child.js";
import type { Company } from "./company.js";
import type { Step } from "./desk-protocol.js";
import { DeskProcess } from "./desk-process.js";
import { OPERATOR, resolveCommand, shellWord } from "./operator.js";
import { readLedger, readRequests, type LedgerLine, type RequestLine } from "./provider-books.js";
import type { Story } from "./story.js";
import { mustBe } from "./story-error.js";

const SALVOR = fileURLToPath(import.meta.resolve("../../../dist/cli/main.js"));
const DECLARATIONS = fileURLToPath(import.meta.resolve("../declarations"));
/** What is declared besides where the server is kept to be looked at. */
const DECLARATIONS_KEPT = fileURLToPath(import.meta.resolve("../declarations-kept"));
/** Where the story plays: one provider, one Salvor server and its operator, and the desks. */
export class Stage {
  readonly story: Story;
  /** Every payment that the acts make. */
  readonly expected: ExpectedPayment[] = [];
  readonly dataFolder: string;
  readonly #company: Company;
  readonly #folder: string;
  readonly #booksFolder: string;
  // Each secret goes to the processes that are to know it, through their environment, and to no other.
  readonly #clientToken = randomBytes(24).toString("hex");
  readonly #operatorToken = randomBytes(24).toString("hex");
  readonly #providerSecret = randomBytes(24).toString("hex");
  #providerUrl = "";
  #url = "";
  #server: Child | undefined;

  /**
   * @param folder holds everything that the story writes.
   * @param isKept whether the server is looked at when the story is over.
   */
  constructor(
    story: Story,
    company: Company,
    folder: string,
    private readonly isKept: boolean,
  ) {
    this.story = story;
    this.#company = company;
    this.#folder = folder;
    this.dataFolder = join(folder, "salvor-data");
    this.#booksFolder = join(folder, "provider");
    mkdirSync(this.#booksFolder);
  }

  /** Where the server answers. */
  get url(): string {
    return this.#url;
  }

  get serverPid(): number {
    return this.#server?.pid ?? 0;
  }

  /** The tokens of the server, by the names of the variables that hold them. */
  get tokens(): Readonly<Record<string, string>> {
    return { SALVOR_CLIENT_TOKEN: this.#clientToken, SALVOR_OPERATOR_TOKEN: this.#operatorToken };
  }

  /** Decides, as the operator does. */
  get operator(): SalvorClient {
    return new SalvorClient({ url: this.#url, operatorToken: this.#operatorToken });
  }

  /** Reads what the server recorded; it may not decide anything. */
  get reader(): SalvorClient {
    return new SalvorClient({ url: this.#url, token: this.#clientToken });
  }

  get ledger(): readonly LedgerLine[] {
    return readLedger(this.#booksFolder);
  }

  get requests(): readonly RequestLine[] {
    return readRequests(this.#booksFolder);
  }

  async startProvider(): Promise<void> {
    const provider = this.#company.start({
      name: "the provider",
      args: [script("provider.js"), this.#booksFolder],
      env: { PROVIDER_SECRET: this.#providerSecret },
    });
    this.#providerUrl = `http://127.0.0.1:${await provider.line()}`;
  }

  /** Starts the server; once it has run, on the same folder and port. */
  async startServer(): Promise<void> {
    const bind = this.#url === "" ? "127.0.0.1:0" : new URL(this.#url).host;
    const server = this.#company.start({
      name: "salvor serve",
      args: [
        ...[SALVOR, "serve", "--bind", bind, "--data", this.dataFolder, "--client-tool", DECLARATIONS],
        ...(this.isKept ? ["--client-tool", DECLARATIONS_KEPT] : []),
        ...["--auth-token", "SALVOR_CLIENT_TOKEN", "--operator-token", "SALVOR_OPERATOR_TOKEN"],
      ],
      env: this.tokens,
    });
    this.#server = server;
    for (;;) {
      const said = /^salvor listening on (http:\S+)$/.exec(await server.line());
      if (said?.[1] === undefined) continue;
      this.#url = said[1];
      return;
    }
  }

  /** SIGKILL: it gets no chance to finish anything. */
  async killServer(): Promise<void> {
    await this.#server?.kill();
  }

  /** Starts a desk. One of the same name goes on with the run of the one before. */
  startDesk(name: string, plan: readonly Step[]): DeskProcess {
    const child = this.#company.start({
      name: `the desk "${name}"`,
      args: [
        script("desk.js"),
        ...["--state", join(this.#folder, `desk-${name}.json`)],
        ...["--plan", JSON.stringify(plan)],
      ],
      env: {
        SALVOR_URL: this.#url,
        SALVOR_TOKEN: this.#clientToken,
        PROVIDER_URL: this.#providerUrl,
        PROVIDER_SECRET: this.#providerSecret,
      },
    });
    return new DeskProcess(child);
  }

  /** The operator settles the open call of a run. */
  async resolve(run: string, output: unknown, note: string): Promise<void> {
    const { command, env } = resolveCommand(this.#url, this.#operatorToken, { run, output, note });
    this.story.types(command.map((words) => words.map(shellWord).join(" ")));
    const [, ...args] = command.flat();
    const cli = this.#company.start({ name: "salvor resolve", args: [SALVOR, ...args], env });
    const how = await cli.end();
    mustBe(how === "0", `salvor resolve ended with ${how}:\n${cli.stdout}${cli.stderr}`);
    const last = (await this.reader.log(run)).at(-1)?.event;
    const decided = last?.kind === "ToolCallCompleted" ? last.payload.resolved_by?.operator : undefined;
    mustBe(decided === OPERATOR, `the log says who settled the call: ${String(decided)}`);
  }

  /** The one payment that the provider made under a key. */
  paidUnder(key: string): LedgerLine {
    const lines = this.ledger.filter((line) => line.key === key);
    const [line] = lines;
    mustBe(
      line !== undefined && lines.length === 1,
      `the ledger has ${lines.length} lines under ${key}, not 1`,
    );
    return line;
  }

  /** Holds that the provider was asked exactly once under a key. */
  askedOnce(key: string): void {
    const asked = this.requests.filter((line) => line.key === key).length;
    mustBe(asked === 1, `the provider was asked ${asked} times under ${key}, not once`);
  }
}

function script(name: string): string {
  return fileURLToPath(import.meta.resolve(`./${name}`));
}
