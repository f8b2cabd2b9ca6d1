import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { signalProcesses } from "./marked-processes.js";
import {
  PROGRAM_INPUT,
  PROGRAM_OUTPUT,
  TERM_GRACE_MS,
  type SupervisedProgram,
  type SupervisorReport,
} from "./supervisor-protocol.js";
import { TextTail } from "./text-tail.js";

const SUPERVISOR = fileURLToPath(new URL("./supervisor.js", import.meta.url));

/** How long a server may take to end after its input has, before it is asked to, in milliseconds. */
const EOF_GRACE_MS = 1_000;
/** By when a supervisor has killed what was left, and itself. */
const KILL_GRACE_MS = TERM_GRACE_MS + 750;
/** How much of what a server writes on standard error is kept, in characters. */
const STDERR_KEPT = 2_000;

/** A server that could not be started at all. */
export class ProcessNotStarted extends Error {
  override readonly name = "ProcessNotStarted";
}

/**
 * A server in a process group of its own. It ends with this process, however that ends, and so does whatever it has started
 * (docs/mcp.md, "Processes").
 */
export class ServerProcess {
  /** Resolves when the server and everything that it has started have ended, and all that it wrote was read. Says how it ended. */
  readonly ended: Promise<string>;
  readonly #supervisor: ChildProcess;
  readonly #mark: string;
  readonly #stderr = new TextTail(STDERR_KEPT);
  readonly #started: Promise<number>;
  #closing: Promise<void> | undefined;

  private constructor(program: Omit<SupervisedProgram, "mark">) {
    this.#mark = crypto.randomUUID();
    this.#supervisor = spawn(process.execPath, ["--max-old-space-size=64", SUPERVISOR], {
      detached: true,
      // Options for this process's own engine (NODE_OPTIONS) are not for the supervisor's.
      env: libraryPath(process.env),
      stdio: ["ignore", "ignore", "pipe", "ipc", "pipe", "pipe"],
    });
    const supervisor = this.#supervisor;
    let how = "it was killed";
    supervisor.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr.add(text);
    });
    for (const stream of supervisor.stdio) stream?.on("error", () => undefined);
    this.#started = new Promise((started, failed) => {
      supervisor.on("message", (report: SupervisorReport) => {
        if (report.kind === "started") started(report.pid);
        else if (report.kind === "not_started") failed(new ProcessNotStarted(report.problem));
        else how = report.how;
      });
      supervisor.once("error", (cause) => {
        failed(new ProcessNotStarted(cause.message, { cause }));
      });
      supervisor.once("exit", () => {
        failed(new ProcessNotStarted("it ended at once"));
      });
    });
    this.#started.catch(() => undefined);
    this.ended = this.#untilEnded().then(() => how);
    supervisor.send({ ...program, mark: this.#mark } satisfies SupervisedProgram, () => undefined);
  }

  /**
   * Starts a server.
   *
   * @throws {@link ProcessNotStarted} when there is no such program.
   */
  static async start(program: Omit<SupervisedProgram, "mark">): Promise<ServerProcess> {
    const process = new ServerProcess(program);
    await process.#started;
    return process;
  }

  get input(): Writable {
    return this.#stream(PROGRAM_INPUT);
  }

  get output(): Readable {
    return this.#stream(PROGRAM_OUTPUT);
  }

  /** The end of what it wrote on standard error. */
  get stderr(): string {
    return this.#stderr.text;
  }

  /** The process of the server itself. */
  pid(): Promise<number> {
    return this.#started;
  }

  /** Ends the server and everything that it has started, within 5 seconds whatever they heed: end of input, SIGTERM, SIGKILL. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.input.end();
    if (await this.#endsWithin(EOF_GRACE_MS)) return;
    if (this.#supervisor.connected) this.#supervisor.disconnect();
    if (await this.#endsWithin(KILL_GRACE_MS)) return;
    this.#killAll();
    await this.ended;
  }

  async #endsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, ms, false);
    });
    const ended = await Promise.race([this.ended.then(() => true as const), late]);
    clearTimeout(timer);
    return ended;
  }

  async #untilEnded(): Promise<void> {
    const supervisor = this.#supervisor;
    const streams = supervisor.stdio.filter((stream) => stream != null);
    // Not the process's own close: it does not come after a disconnect (Node 20).
    const read = Promise.all(streams.map((stream) => once(stream, "close")));
    read.catch(() => undefined);
    await new Promise((resolve) => {
      supervisor.once("exit", resolve);
      supervisor.once("error", resolve);
    });
    // Also when somebody killed the supervisor alone.
    this.#killAll();
    // Nobody is left who could write; what was written is read.
    const destroy = (): void => {
      for (const stream of streams) stream.destroy();
    };
    const late = setTimeout(destroy, DRAIN_MS);
    this.input.destroy();
    await read.catch(() => undefined);
    clearTimeout(late);
  }

  /** A pipe beyond standard error is a socket, whichever way it is used. */
  #stream(descriptor: number): Socket {
    return (this.#supervisor.stdio as readonly unknown[])[descriptor] as Socket;
  }

  #killAll(): void {
    signalProcesses(this.#mark, this.#supervisor.pid, "SIGKILL");
  }
}

/** How long what a server wrote before its end may take to be read, in milliseconds. */
const DRAIN_MS = 500;

function libraryPath({ LD_LIBRARY_PATH }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH };
}
