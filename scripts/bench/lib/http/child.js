import { fork } from "node:child_process";
import { once } from "node:events";

/** A process of its own that does what it is asked for, one thing after the other. */
export class Child {
  #process;

  /** Starts a module; answers once it has said that it is ready. */
  static async start(url, { args = [], nodeArgs = [], env = {} } = {}) {
    const child = fork(new URL(url), args, {
      execArgv: nodeArgs,
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const started = new Child(child);
    started.ready = await started.#next();
    return started;
  }

  constructor(child) {
    this.#process = child;
    process.once("exit", () => child.kill("SIGKILL"));
  }

  get pid() {
    return this.#process.pid;
  }

  async ask(what, given = {}) {
    this.#process.send({ what, ...given });
    return this.#next();
  }

  async stop() {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGTERM");
    await ended;
  }

  async #next() {
    const over = new AbortController();
    const { signal } = over;
    const ended = once(this.#process, "exit", { signal }).then(([code]) => [
      { error: `a bench process ended with ${code}` },
    ]);
    // Whichever comes second is not waited for.
    ended.catch(() => undefined);
    const message = once(this.#process, "message", { signal });
    message.catch(() => undefined);
    const [answer] = await Promise.race([message, ended]);
    over.abort();
    if (answer?.error !== undefined) throw new Error(answer.error);
    return answer;
  }
}

/** The other side: what this process can be asked for. */
export function answer(handlers, ready = {}) {
  process.on("message", ({ what, ...given }) => {
    Promise.resolve()
      .then(() => handlers[what](given))
      .then(
        (result) => process.send(result ?? {}),
        (error) => process.send({ error: error.stack }),
      );
  });
  process.once("disconnect", () => process.exit());
  process.once("SIGTERM", () => process.exit());
  process.send(ready);
}
