import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { AuthorProject } from "../support/author-project.js";
import { TYPESCRIPTS } from "../support/typescript-versions.js";
import { readPage } from "./pages.js";
import { commandsIn, filesIn, runIn, type Command } from "./project-page.js";

const page = readPage("docs/recipes.md");

function sectionOf(heading: string): string {
  const section = page.text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  assert.ok(section !== undefined, `docs/recipes.md has a section ${heading}`);
  return section;
}

const filesOf = (heading: string) => filesIn(sectionOf(heading));
const commandsOf = (heading: string) => commandsIn(sectionOf(heading));

async function runAsSaid(project: AuthorProject, { command, prints }: Command): Promise<void> {
  const printed = await runIn(project, command);
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
