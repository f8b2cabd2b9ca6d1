import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";

/** A Node process of the story, read line by line. It is ended by its pid, and does not outlive this one. */
export class ProcessOf {
  readonly lines: Interface;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  #stderr = "";

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    this.lines = createInterface({ input: child.stdout });
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.#stderr += text));
    const killLeft = (): void => {
      child.kill("SIGKILL");
    };
    process.once("exit", killLeft);
    this.ended = once(child, "close").then(([code, signal]) => {
      process.removeListener("exit", killLeft);
      return String(code ?? signal);
    });
  }

  get stderr(): string {
    return this.#stderr;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The part that a pattern captures of the first line that matches it. */
  async says(pattern: RegExp): Promise<string> {
    for await (const line of this.lines) {
      const found = pattern.exec(line)?.[1];
      if (found !== undefined) return found;
    }
    throw new Error(`ended (${await this.ended}) where ${String(pattern)} was awaited:\n${this.#stderr}`);
  }

  /** SIGKILL, and waits until it is gone. */
  async kill(): Promise<void> {
    if (this.isAlive) this.#child.kill("SIGKILL");
    await this.ended;
  }
}
