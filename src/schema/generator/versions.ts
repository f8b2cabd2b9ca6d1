import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** The versions that a schema depends on. */
export function generatorVersions(): { salvor: string; typescript: string; typescriptJsonSchema: string } {
  const tjs = createRequire(import.meta.url).resolve("typescript-json-schema");
  return {
    salvor: packageVersion(fileURLToPath(import.meta.url)),
    typescript: ts.version,
    typescriptJsonSchema: packageVersion(tjs),
  };
}

/** The version of the package that a file belongs to. */
function packageVersion(file: string): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (!existsSync(manifest)) continue;
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version?: unknown };
    if (typeof version === "string") return version;
  }
  throw new Error(`no package.json above ${file}`);
}
