import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface ChildOptions {
  /** What this process is called when something is wrong with it. */
  readonly name: string;
  /** The script and its arguments. */
  readonly args: readonly string[];
  /** Its secrets, and nobody else's. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A process of the story, read line by line. It is ended by its pid, whatever happens. */
export class Child {
  readonly name: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<string>;
  #stdout = "";
  #stderr = "";

  constructor({ name, args, env }: ChildOptions) {
    this.name = name;
    const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: "pipe" });
    this.#child = child;
    child.stdout.setEncoding("utf8").on("data", (text: string) => (this.#stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.#stderr += text));
    // A process that is killed closes the pipe under us.
    child.stdin.on("error", () => undefined);
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    this.#ended = once(child, "close").then(([code, signal]) => String(code ?? signal));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /**
   * The next line that it prints.
   *
   * @throws when it ends instead, with what it wrote.
   */
  async line(): Promise<string> {
    const next = await this.#lines.next();
    if (next.done !== true) return next.value;
    throw new Error(
      `${this.name} ended (${await this.#ended}) where a line of it was awaited:\n${this.#stdout}${this.#stderr}`,
    );
  }

  /** Sends it a line: go on. */
  goOn(): void {
    this.#child.stdin.write("go on\n");
  }

  /** Waits for its end; answers its exit code, or the signal that ended it. */
  async end(): Promise<string> {
    return await this.#ended;
  }

  /** SIGKILL, and waits until it is gone. */
  async kill(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill("SIGKILL");
    await this.#ended;
  }
}
