import { build } from "esbuild";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../../docs/pages.js";

/** Loads a module of the page that needs no browser. The page has a compiler of its own, so its types are said again here. */
export async function pageModule<T>(file: string): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "salvor-page-"));
  try {
    const outfile = join(folder, "module.mjs");
    await build({
      entryPoints: [join(root, "src/console", file)],
      outfile,
      bundle: true,
      format: "esm",
      logLevel: "error",
    });
    return (await import(pathToFileURL(outfile).href)) as T;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
