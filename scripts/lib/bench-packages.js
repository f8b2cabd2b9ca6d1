import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.js";

const folder = join(root, "scripts/bench");

/** Installs what the benches compare with, as scripts/bench/package-lock.json says, unless it is there already. */
export function ensureBenchPackages() {
  const installed = join(folder, "node_modules/.package-lock.json");
  const lock = join(folder, "package-lock.json");
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const { status } = spawnSync(npm, ["ci", "--no-audit", "--no-fund", "--prefix", folder], {
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("what the benches compare with could not be installed");
}
