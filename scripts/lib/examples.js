import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The folders of the examples that are TypeScript projects. */
export function findExamples(root) {
  const folder = join(root, "examples");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .filter((example) => existsSync(join(example, "tsconfig.json")));
}
