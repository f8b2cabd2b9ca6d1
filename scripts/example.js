// npm run example NAME [-- ARGUMENT...]: builds, then runs an example's main program offline.
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { findExamples } from "./lib/examples.js";
import { root } from "./lib/root.js";
import { runNode } from "./lib/run-node.js";

const [name, ...args] = process.argv.slice(2);
const main = (example) => join(example, "dist/main.js");

const built = await runNode(join(root, "scripts/build.js"), [], { cwd: root });
if (built !== 0) process.exit(built);
const runnable = findExamples(root).filter((example) => existsSync(main(example)));
const example = runnable.find((folder) => basename(folder) === name);
if (example === undefined) {
  console.error(
    `npm run example NAME, with one of: ${runnable.map((folder) => basename(folder)).join(", ")}`,
  );
  process.exit(2);
}
process.exitCode = await runNode(main(example), args, { cwd: root });
