import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The built command, as a user runs it. */
export const SALVOR_MAIN = join(import.meta.dirname, "../../../dist/cli/main.js");

export interface SpawnServerOptions {
  /** Further arguments of `salvor serve`; `--bind` and `--data` are given already. */
  readonly args?: readonly string[];
  /** Variables besides this process's own; `undefined` takes one away. */
  readonly env?: NodeJS.ProcessEnv;
  /** The arguments that say where logs live, instead of a folder. */
  readonly where?: readonly string[];
  /** The URL of a database, instead of a folder; the server gets it through a variable. */
  readonly store?: string;
  /** Without it the server gets a fresh folder, which goes when the server is stopped (not when it is killed). */
  readonly dataDir?: string;
  readonly cwd?: string;
  /** Where to listen; any free port of 127.0.0.1 unless given. */
  readonly bind?: string;
}

/** How a process ended: one of the two is `null`. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A real `salvor serve` in a process of its own. */
export interface SpawnedServer {
  /** Where it listens, with the port that it was given. */
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
  /** What it has written so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves once what it has written matches; rejects when it ends before. */
  said(pattern: RegExp): Promise<void>;
  /** Resolves when the process has ended, however it did. */
  readonly ended: Promise<Ended>;
  /** SIGTERM, then waits for the end and removes a folder that was made for this server. Idempotent. */
  stop(): Promise<Ended>;
  /** SIGKILL, then waits for the end. The data folder stays, for the next server. */
  kill(): Promise<Ended>;
}

/**
 * Starts `salvor serve` on a free port of 127.0.0.1 and resolves once it says where it listens.
 *
 * @throws an Error with everything it wrote when it ends before that.
 */
export async function spawnServer(options: SpawnServerOptions = {}): Promise<SpawnedServer> {
  const isOnDatabase = options.store !== undefined || options.where !== undefined;
  const dataDir = options.dataDir ?? (isOnDatabase ? "" : await mkdtemp(join(tmpdir(), "salvor-serve-")));
  const where = options.where ?? (isOnDatabase ? ["--store-env", "SALVOR_TEST_STORE"] : ["--data", dataDir]);
  const args = ["serve", "--bind", options.bind ?? "127.0.0.1:0", ...where, ...(options.args ?? [])];
  const child = spawn(process.execPath, [SALVOR_MAIN, ...args], {
    env: {
      ...process.env,
      ...(options.store !== undefined && { SALVOR_TEST_STORE: options.store }),
      ...options.env,
    },
    cwd: options.cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A test run that dies leaves no server behind.
  const killLeft = (): void => {
    child.kill("SIGKILL");
  };
  process.once("exit", killLeft);
  const written = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (written.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (written.stderr += text));
  const ended = once(child, "close").then((how) => {
    const [code, signal] = how as [number | null, NodeJS.Signals | null];
    process.removeListener("exit", killLeft);
    return { code, signal } satisfies Ended;
  });

  const said = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((matched, failed) => {
      const look = (): void => {
        const match = pattern.exec(written.stdout) ?? pattern.exec(written.stderr);
        if (match !== null) matched(match);
      };
      child.stdout.on("data", look);
      child.stderr.on("data", look);
      child.once("error", failed);
      void ended.then(({ code, signal }) => {
        const all = `${written.stdout}${written.stderr}`;
        failed(
          new Error(`salvor serve ended (${code ?? signal}) before it said ${String(pattern)}:\n${all}`),
        );
      });
      look();
    });
  const [, url = ""] = await said(/^salvor listening on (http:\S+)$/m);

  const endWith = async (signal: NodeJS.Signals): Promise<Ended> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return await ended;
  };
  return {
    url,
    pid: child.pid ?? 0,
    dataDir,
    get stdout() {
      return written.stdout;
    },
    get stderr() {
      return written.stderr;
    },
    said: async (pattern) => {
      await said(pattern);
    },
    ended,
    async stop() {
      const how = await endWith("SIGTERM");
      if (options.dataDir === undefined && !isOnDatabase) await rm(dataDir, { recursive: true, force: true });
      return how;
    },
    kill: () => endWith("SIGKILL"),
  };
}
