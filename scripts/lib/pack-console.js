// Packs src/console into dist/console: one page, one script, one style sheet. The names of the latter two say what is in them,
// so that a browser may keep them for ever.
import { build } from "esbuild";
import { readFileSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { noticesOf } from "./notices.js";
import { writeChanged } from "./write-changed.js";

/** @returns the files that were written. */
export async function packConsole(root) {
  const from = join(root, "src/console");
  const to = join(root, "dist/console");
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { page: join(from, "main.tsx"), style: join(from, "style/style.css") },
    outdir: to,
    entryNames: "[name]-[hash]",
    bundle: true,
    minify: true,
    platform: "browser",
    target: ["es2022", "chrome111", "firefox115", "safari16.4"],
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    metafile: true,
    write: false,
    logLevel: "warning",
  });
  for (const { path, contents } of outputFiles) writeChanged(path, contents);
  const packed = Object.keys(metafile.outputs);
  const named = (ending) => basename(packed.find((file) => file.endsWith(ending)) ?? "");
  const page = readFileSync(join(from, "page.html"), "utf8")
    .replace("{script}", named(".js"))
    .replace("{style}", named(".css"));
  const files = {
    "index.html": page,
    "LICENSES.txt": noticesOf(root, named(".js"), Object.keys(metafile.inputs)),
  };
  for (const [name, text] of Object.entries(files)) writeChanged(join(to, name), text);
  return [...packed.map((file) => resolve(root, file)), ...Object.keys(files).map((name) => join(to, name))];
}

// Alone, for whoever works on the page: node scripts/lib/pack-console.js
if (process.argv[1] === import.meta.filename) {
  const root = resolve(import.meta.dirname, "../..");
  rmSync(join(root, "dist/console"), { recursive: true, force: true });
  await packConsole(root);
}
