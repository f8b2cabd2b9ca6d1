import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ts } from "./typescript.js";

/**
 * The major version of the `typescript` that `npx tsc` runs in a folder: some options have another default from 6 on.
 * Without one installed it is that of the compiler that reads the project here.
 */
export function typescriptMajor(folder: string): number {
  const manifest = join(folder, "node_modules/typescript/package.json");
  if (existsSync(manifest)) return majorOf(readFileSync(manifest, "utf8"));
  const parent = dirname(folder);
  return parent === folder ? OWN_MAJOR : typescriptMajor(parent);
}

const OWN_MAJOR = Number.parseInt(ts.versionMajorMinor, 10);

function majorOf(manifest: string): number {
  try {
    const { version } = JSON.parse(manifest) as { readonly version?: unknown };
    const major = Number.parseInt(String(version), 10);
    return Number.isNaN(major) ? OWN_MAJOR : major;
  } catch {
    return OWN_MAJOR;
  }
}
