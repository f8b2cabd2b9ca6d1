import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { AuthorProject } from "../support/author-project.js";
import { TYPESCRIPTS } from "../support/typescript-versions.js";
import { readPage } from "./pages.js";

const page = readPage("docs/recipes.md");

function sectionOf(heading: string): string {
  const section = page.text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  assert.ok(section !== undefined, `docs/recipes.md has a section ${heading}`);
  return section;
}

/** The files of a section: each block under a line that is its name. */
function filesOf(heading: string): readonly (readonly [string, string])[] {
  return [...sectionOf(heading).matchAll(/^`([^`\n]+)`:\n\n```\w+\n(.*?)^```$/gms)].map(
    ([, name = "", text = ""]) => [name, text] as const,
  );
}

interface Command {
  readonly command: string;
  readonly prints: string;
}

/** The commands of a section, each with what the page says that it prints. */
function commandsOf(heading: string): readonly Command[] {
  const [, session = ""] = /^```console\n(.*?)^```$/ms.exec(sectionOf(heading)) ?? [];
  return session
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = "", ...lines] = part.split("\n");
      return { command, prints: lines.join("\n").trim() };
    });
}

/** Runs a command as a reader would, who has everything installed. */
async function run(project: AuthorProject, command: string): Promise<string> {
  const env = {
    ...process.env,
    npm_config_offline: "true",
    npm_config_yes: "false",
    NO_COLOR: "1",
    FORCE_COLOR: undefined,
    NODE_TEST_CONTEXT: undefined,
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

async function runAsSaid(project: AuthorProject, { command, prints }: Command): Promise<void> {
  const printed = await run(project, command);
  if (prints !== "") assert.equal(printed, prints, command);
  if (command.includes("vitest")) assert.match(printed, /Tests {2}2 passed/);
}

function setLegacy(project: AuthorProject, name: string, from: string, to: string): void {
  const text = readFileSync(join(project.folder, name), "utf8");
  assert.ok(text.includes(from), `${name} holds ${from}`);
  project.write(name, text.replace(from, to));
}

const ALWAYS = { "@types/node": "@types/node", "undici-types": "undici-types", typescript: "typescript" };

const RECIPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  tsc: {},
  tsx: { tsx: "tsx" },
  esbuild: { esbuild: "esbuild" },
  swc: { "@swc/core": "@swc/core" },
  Vitest: { vitest: "vitest" },
};

function projectOf(recipe: string, packages: Readonly<Record<string, string>>): AuthorProject {
  const project = new AuthorProject({ ...ALWAYS, ...packages });
  for (const heading of ["The project", recipe]) {
    for (const [name, text] of filesOf(heading)) project.write(name, text);
  }
  return project;
}

describe("docs/recipes.md", { concurrency: 2 }, () => {
  for (const [recipe, packages] of Object.entries(RECIPES)) {
    it(`builds, runs and calls a tool with ${recipe} as it says`, async () => {
      using project = projectOf(recipe, packages);
      const commands = commandsOf(recipe);
      assert.ok(commands.length >= 2);
      for (const one of commands) await runAsSaid(project, one);
      if (recipe === "tsc") {
        for (const typescript of TYPESCRIPTS.filter((one) => one.version !== "5.9")) {
          project.install("typescript", typescript.package);
          for (const one of commands.slice(1)) await runAsSaid(project, one);
        }
      }
      // What is said of decorators: every program may be set the other way as well.
      setLegacy(
        project,
        "tsconfig.json",
        '"strict": true,',
        '"strict": true, "experimentalDecorators": true, "emitDecoratorMetadata": true,',
      );
      if (recipe === "swc")
        setLegacy(project, ".swcrc", '"decoratorVersion": "2022-03"', '"legacyDecorator": true');
      for (const one of commands.slice(1)) await runAsSaid(project, one);
    });
  }

  it("has the files of every recipe", () => {
    assert.equal(filesOf("The project").length, 4);
    assert.deepEqual(
      Object.keys(RECIPES).flatMap((recipe) => filesOf(recipe).map(([name]) => name)),
      [".swcrc", "build.mjs", "src/refund-order.test.ts"],
    );
  });
});
