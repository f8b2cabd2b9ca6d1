// npm run test:nodes [-- SUITE...]: builds once, then runs the suites under each Node version of scripts/nodes.
// The binaries come from the npm registry, as optional dependencies of which each machine installs its own.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { root } from "./lib/root.js";
import { runNode } from "./lib/run-node.js";

const folder = join(root, "scripts/nodes");
const { optionalDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const here = `-${process.platform}-${process.arch}`;
const wanted = Object.keys(optionalDependencies).filter((name) => name.endsWith(here));
if (wanted.length === 0) stop(`scripts/nodes/package.json names no Node for ${here.slice(1)}; add one`);

// --no-bin-links: every one of these packages would be called `node`.
const npm = process.platform === "win32" ? "npm.cmd" : "npm";
const installed = spawnSync(npm, ["ci", "--no-bin-links", "--prefix", folder], { stdio: "inherit" });
if (installed.status !== 0) stop("the Node binaries could not be installed");

const built = await runNode(join(root, "scripts/build.js"), ["--test"], { cwd: root });
if (built !== 0) process.exit(built);

const outcomes = [];
for (const name of wanted) {
  const node = join(folder, "node_modules", name, "bin/node");
  if (!existsSync(node)) stop(`${name} was not installed: ${node} is missing`);
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
  console.log(`\n==== Node ${version} ====`);
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const args = ["--built", ...process.argv.slice(2)];
  const code = await runNode(join(root, "scripts/test.js"), args, { cwd: root, node, env });
  outcomes.push({ version, code });
}

console.log("");
for (const { version, code } of outcomes) console.log(`Node ${version}: ${code === 0 ? "passed" : "FAILED"}`);
if (outcomes.some(({ code }) => code !== 0)) process.exitCode = 1;

function stop(message) {
  console.error(message);
  process.exit(1);
}
