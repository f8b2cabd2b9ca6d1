// Builds everything: src to dist, then, with --test, the tests to build/test.
// Also links the command into node_modules/.bin, so that `npx --no-install salvor` runs this checkout.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const tsc = join(root, "node_modules/typescript/bin/tsc");
const projects = process.argv.includes("--test") ? ["tsconfig.json", "test"] : ["tsconfig.json"];

const built = spawnSync(process.execPath, [tsc, "-b", ...projects], { cwd: root, stdio: "inherit" });
if (built.status !== 0) process.exit(built.status ?? 1);

const main = join(root, "dist/cli/main.js");
if (existsSync(main)) {
  chmodSync(main, 0o755);
  const bin = join(root, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  rmSync(join(bin, "salvor"), { force: true });
  symlinkSync("../../dist/cli/main.js", join(bin, "salvor"));
}
