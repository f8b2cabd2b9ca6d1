// npm run schemas [-- --check]: generates the schemas of every example's tools, or checks that they are as committed.
// Any arguments go to `salvor schemas`, which runs once in each example's folder.
import { join, relative } from "node:path";
import { findExamples } from "./lib/examples.js";
import { root } from "./lib/root.js";
import { runNode } from "./lib/run-node.js";

const built = await runNode(join(root, "scripts/build.js"), ["--src"], { cwd: root });
if (built !== 0) process.exit(built);

for (const example of findExamples(root)) {
  console.log(relative(root, example));
  const args = ["schemas", ...process.argv.slice(2)];
  const code = await runNode(join(root, "dist/cli/main.js"), args, { cwd: example });
  if (code !== 0) process.exitCode = code;
}
