import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { after } from "node:test";
import { root } from "../../docs/pages.js";

/**
 * A program in one file with all that it imports, until the test file has ended: a framework takes most of a second to load from
 * its own files, and a kill test starts a hundred processes.
 *
 * @param source a file of test/adapters, as `anthropic/support/desk-program.ts`.
 * @returns where the file is.
 */
export async function bundled(source: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "salvor-bundled-"));
  after(() => rm(folder, { recursive: true, force: true }));
  const outfile = join(folder, basename(source).replace(/\.ts$/, ".mjs"));
  await build({
    absWorkingDir: root,
    entryPoints: [join("test/adapters", source)],
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
