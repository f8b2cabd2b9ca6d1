import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";

/** The text as a pattern in which `…` stands for anything. */
export function patternOf(text: string): RegExp {
  const literal = text.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literal.join(".*")}$`);
}

/** Runs a script as a reader would, except that any failing command ends it. */
export async function bash(script: string): Promise<string> {
  return run("bash", ["-euo", "pipefail", "-c", script]);
}

/** Runs a program to its end, without blocking the server that this process may be reading from, and answers what it printed. */
export async function run(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  const written = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (written.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (written.stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  assert.equal(code, 0, written.stdout + written.stderr);
  return written.stdout;
}
