// npm run bench [-- NAME...] [--json FILE]: runs the benches of this folder, prints a table and writes JSON.
//
// A bench is a module NAME.js beside this one that exports `measure()`, which answers what belongs into the JSON, and
// `print(measured)`, which prints it as a table. What it answers is best a ratio measured within one run.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { cpus, release } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../lib/root.js";
import { runNode } from "../lib/run-node.js";

const here = import.meta.dirname;
const present = readdirSync(here)
  .filter((file) => file.endsWith(".js") && file !== "run.js")
  .map((file) => file.slice(0, -".js".length))
  .sort();

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "string" } } });
const unknown = positionals.filter((name) => !present.includes(name));
if (unknown.length > 0) {
  console.error(`no bench is called ${unknown.join(", ")}; there are: ${present.join(", ") || "none yet"}`);
  process.exit(2);
}
const built = await runNode(join(root, "scripts/build.js"), ["--src"], { cwd: root });
if (built !== 0) process.exit(built);

const results = {};
for (const name of positionals.length > 0 ? positionals : present) {
  const bench = await import(`./${name}.js`);
  console.log(`\n${name}`);
  results[name] = await bench.measure();
  bench.print(results[name]);
}

const file = resolve(values.json ?? join(root, "build/bench.json"));
const machine = { node: process.version, os: release(), cpu: cpus()[0]?.model, cores: cpus().length };
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify({ machine, results }, undefined, 2)}\n`);
console.log(`\nwritten to ${file}`);
