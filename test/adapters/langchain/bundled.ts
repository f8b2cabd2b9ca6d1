import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = join(import.meta.dirname, "../../../..");

/**
 * A program in one file with all that it imports. LangChain takes a second to load from its own files, and a kill test starts a
 * hundred processes.
 *
 * @param source a file of this folder.
 * @returns where the file is, which goes with the folder it was put into.
 */
export async function bundled(source: string, folder: string): Promise<string> {
  const outfile = join(folder, source.replace(/\.ts$/, ".mjs"));
  await build({
    absWorkingDir: root,
    entryPoints: [join("test/adapters/langchain", source)],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    keepNames: true,
    logLevel: "error",
    // Some of the packages are CommonJS.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    plugins: [
      {
        name: "own-files",
        setup(own) {
          // It loads a file that lies beside it.
          own.onResolve({ filter: /\/load-engine\.js$/ }, () => ({
            path: pathToFileURL(join(root, "build/src/schema/load-engine.js")).href,
            external: true,
          }));
        },
      },
    ],
  });
  return outfile;
}
