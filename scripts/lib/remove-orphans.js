import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const COMPILED = /\.(?:(c?)js|d\.(c?)ts)(?:\.map)?$/;

/** Removes compiled files whose TypeScript source is gone. Touches nothing that the compiler did not write. */
export function removeOrphans(built, sources) {
  if (!existsSync(built) || !existsSync(sources)) return;
  for (const entry of readdirSync(built, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !COMPILED.test(entry.name)) continue;
    const folder = entry.parentPath;
    const name = entry.name.replace(COMPILED, (_, js = "", types = "") => `.${js}${types}ts`);
    if (!existsSync(join(sources, folder.slice(built.length), name))) rmSync(join(folder, entry.name));
  }
}
