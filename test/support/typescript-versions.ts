import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const NODE_MODULES = join(import.meta.dirname, "../../../node_modules");

/** Every version of TypeScript that authors may use, with the package that holds it here. */
export const TYPESCRIPTS = [
  { version: "5.5", package: "with-typescript-5.5" },
  { version: "5.9", package: "typescript" },
  { version: "6.0", package: "with-typescript-6.0" },
  { version: "7.0", package: "with-typescript-7.0" },
] as const;

export type TypeScript = (typeof TYPESCRIPTS)[number];

/** The folder that a version is installed in. */
export function folderOf(typescript: TypeScript): string {
  return join(NODE_MODULES, typescript.package);
}

/** What a compiler said of a file. */
export interface TscFinding {
  /** As the compiler printed it; empty when it is about no file. */
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Runs the `tsc` of a version, and answers everything that it found fault with. */
export async function runTsc(
  typescript: TypeScript,
  args: readonly string[],
  cwd: string,
): Promise<readonly TscFinding[]> {
  const tsc = join(folderOf(typescript), "bin/tsc");
  const child = spawn(process.execPath, [tsc, ...args, "--pretty", "false"], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const [code] = (await once(child, "close")) as [number | null];
  const findings = findingsIn(printed);
  if ((code === 0) !== (findings.length === 0)) {
    throw new Error(`tsc ${typescript.version} ended with ${String(code)} and said:\n${printed}`);
  }
  return findings;
}

function findingsIn(printed: string): readonly TscFinding[] {
  return printed
    .split(/\r?\n(?=\S)/)
    .filter((block) => block.trim() !== "")
    .map((block) => {
      const [, file = "", line = "0"] = /^(.+?)\((\d+),\d+\): /.exec(block) ?? [];
      return { file, line: Number(line), message: block };
    });
}
