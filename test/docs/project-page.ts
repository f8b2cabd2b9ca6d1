import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { AuthorProject } from "../support/author-project.js";

/** The files that a text shows: each block under a line that is its name. */
export function filesIn(text: string): readonly (readonly [name: string, text: string])[] {
  return [...text.matchAll(/^`([^`\n]+)`:\n\n```\w+\n(.*?)^```$/gms)].map(
    ([, name = "", content = ""]) => [name, content] as const,
  );
}

export interface Command {
  readonly command: string;
  /** What the page says that it prints; empty where it says nothing. */
  readonly prints: string;
}

/** The commands of each session at a console that a text shows. */
export function commandsIn(text: string): readonly Command[] {
  return [...text.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, session = ""]) =>
    session
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = "", ...lines] = part.split("\n");
        return { command, prints: lines.join("\n").trim() };
      }),
  );
}

/** Runs a command as a reader would, who has everything installed; answers what it printed. */
export async function runIn(
  project: AuthorProject,
  command: string,
  variables: NodeJS.ProcessEnv = {},
): Promise<string> {
  const env = {
    ...process.env,
    npm_config_offline: "true",
    npm_config_yes: "false",
    NO_COLOR: "1",
    FORCE_COLOR: undefined,
    NODE_TEST_CONTEXT: undefined,
    ...variables,
  };
  const child = spawn("bash", ["-c", command], {
    cwd: project.folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => (printed[name] += text));
  }
  const [code] = (await once(child, "close")) as [number | null];
  assert.equal(code, 0, `${command}\n${printed.stdout}${printed.stderr}`);
  return printed.stdout.trim();
}
