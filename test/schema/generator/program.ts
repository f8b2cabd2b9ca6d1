import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  generateSchemas,
  renderProblem,
  type Generated,
  type GeneratorProblem,
} from "#salvor/schema/generator/index.js";

/** The root of this package, which the programs in these tests use as their dependency `salvor`. */
export const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

export const FIXTURES = join(ROOT, "test/schema/generator/fixtures");

const OPTIONS = {
  strict: true,
  module: "nodenext",
  target: "es2022",
  lib: ["es2023"],
  types: [],
  skipLibCheck: true,
  resolveJsonModule: true,
  rootDir: ".",
  outDir: "dist",
};

/** A program of somebody's own, in a folder of its own. */
export class Program implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "salvor-generator-"));

  constructor(
    files: { readonly [name: string]: string },
    options: {
      readonly compilerOptions?: object;
      readonly tsconfig?: object;
      /** The package of the compiler that is installed beside the program; none by default. */
      readonly typescript?: string;
    } = {},
  ) {
    mkdirSync(join(this.folder, "node_modules"));
    symlinkSync(ROOT, join(this.folder, "node_modules/salvor"), "dir");
    if (options.typescript !== undefined) {
      this.link(join(ROOT, "node_modules", options.typescript), "node_modules/typescript");
    }
    this.write("package.json", JSON.stringify({ type: "module" }));
    const compilerOptions = { ...OPTIONS, ...options.compilerOptions };
    this.write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["src"], ...options.tsconfig }));
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  write(name: string, text: string): void {
    const file = join(this.folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** Links a folder in, as a package manager does with a workspace; a relative target is one of the program's own. */
  link(target: string, name: string): void {
    const link = join(this.folder, name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(resolve(this.folder, target), link, "dir");
  }

  generate(tsconfig = "tsconfig.json"): Generated {
    return generateSchemas({ tsconfig, cwd: this.folder });
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export type Artefact = Extract<Generated, { artefact: unknown }>;

/** The artefact, where one is expected; else an error that holds the problems. */
export function expectArtefact(generated: Generated): Artefact {
  if ("artefact" in generated) return generated;
  throw new Error(`refused:\n${generated.problems.map(renderProblem).join("\n")}`);
}

/** The problems, where some are expected. */
export function expectProblems(generated: Generated): readonly GeneratorProblem[] {
  if (generated.problems.length > 0) return generated.problems;
  throw new Error("nothing was refused");
}

/** A source file with one tool class, `call` of which takes `In` (or the type given) and answers `Out`. */
export function toolSource(
  name: string,
  types: string,
  { input = "In", output = "{ ok: boolean }" } = {},
): string {
  return `import { Tool, type ToolCtx } from "salvor";
${types}
/** Does ${name}. */
@Tool("read")
export class ${name} {
  call(ctx: ToolCtx, input: ${input}): ${output} { return null!; }
}
`;
}
