import { spawn } from "node:child_process";
import { once } from "node:events";
import { SALVOR_MAIN } from "./spawn-server.js";

/** What a command line did. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** What the command reads on standard input; nothing when absent. */
  readonly stdin?: string;
}

/** Runs `salvor` with these arguments in a process of its own, without a terminal, to its end. */
export async function runSalvor(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const child = spawn(process.execPath, [SALVOR_MAIN, ...args], {
    env: { ...process.env, ...options.env },
    cwd: options.cwd,
    stdio: "pipe",
  });
  const written = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (written.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (written.stderr += text));
  // A command that ends without reading its input closes the pipe under us.
  child.stdin.on("error", () => undefined).end(options.stdin ?? "");
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...written };
}
