import { build } from "esbuild";
import { createRequire } from "node:module";

/**
 * A plugin for rollup that packs packages as if they were modules of ours, CommonJS too.
 *
 * @param root the checkout, whose packages they are.
 * @param names what our modules import: `package`, or `package/entry`.
 */
export function inlinePackages(root, names) {
  const files = new Map(names.map((name) => [name, createRequire(`${root}/`).resolve(name)]));
  const inlined = new Set(files.values());
  return {
    name: "inline-packages",
    resolveId: (id) => files.get(id),
    load: (id) => (inlined.has(id) ? asModule(root, id) : undefined),
  };
}

/** What a file and all that it requires are as one ES module, without the comments, and the map of it. */
async function asModule(root, file) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [file],
    outfile: `${file}.mjs`,
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    minifyWhitespace: true,
    sourcemap: "external",
    sourcesContent: false,
    write: false,
    logLevel: "warning",
  });
  const [map, code] = ["map", "mjs"].map(
    (ending) => outputFiles.find(({ path }) => path.endsWith(ending))?.text,
  );
  return { code, map };
}
