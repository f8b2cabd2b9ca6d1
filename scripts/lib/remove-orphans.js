import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const COMPILED = /\.(?:js|d\.ts)(?:\.map)?$/;

/** Removes compiled files whose TypeScript source is gone. Touches nothing that the compiler did not write. */
export function removeOrphans(built, sources) {
  if (!existsSync(built) || !existsSync(sources)) return;
  for (const entry of readdirSync(built, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !COMPILED.test(entry.name)) continue;
    const folder = entry.parentPath;
    const source = join(sources, folder.slice(built.length), entry.name.replace(COMPILED, ".ts"));
    if (!existsSync(source)) rmSync(join(folder, entry.name));
  }
}
