// Builds src to dist (through build/src, which the tests read), the examples to examples/<name>/dist (not with --src) and,
// with --test, the tests to build/test. Also links the command into node_modules/.bin, so that `npx --no-install salvor` runs
// this checkout.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { findExamples } from "./lib/examples.js";
import { pack } from "./lib/pack.js";
import { removeOrphans } from "./lib/remove-orphans.js";
import { root } from "./lib/root.js";
import { Slots } from "./lib/slots.js";

const tsc = join(root, "node_modules/typescript/bin/tsc");

// What a deleted or renamed source left behind would still be imported, and its tests would still run.
removeOrphans(join(root, "build/src"), join(root, "src"));
removeOrphans(join(root, "build/test"), join(root, "test"));

await build("-b", "tsconfig.json");
// The page is checked here and compiled by what packs it: its types are a browser's.
await Promise.all([build("-p", "src/console"), pack(root)]);
linkCommand();
const slots = new Slots(availableParallelism());
if (!process.argv.includes("--src")) {
  await Promise.all(findExamples(root).map((example) => slots.run(() => build("-b", example))));
}
// They use the examples; and what they say in a browser is written with its types.
if (process.argv.includes("--test")) await build("-b", "test", "test/browser");

async function build(...args) {
  const [status] = await once(
    spawn(process.execPath, [tsc, ...args], { cwd: root, stdio: "inherit" }),
    "close",
  );
  if (status !== 0) process.exit(status ?? 1);
}

function linkCommand() {
  const main = join(root, "dist/cli/main.js");
  if (!existsSync(main)) return;
  chmodSync(main, 0o755);
  const bin = join(root, "node_modules/.bin");
  const link = join(bin, "salvor");
  const target = "../../dist/cli/main.js";
  // A right one is left alone: somebody may be running it.
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() && readlinkSync(link) === target) return;
  mkdirSync(bin, { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(target, link);
}
