import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { rollup } from "rollup";
import { root } from "../docs/pages.js";

/** What docs/clients.md says that a program pays for `SalvorClient` alone. */
const LIMIT_BYTES = 15 * 1024;

interface Bundle {
  readonly text: string;
  readonly gzipped: number;
  /** The files of which something is in the bundle, below the root. */
  readonly files: readonly string[];
}

/** Bundles a program as a page would have it, and refuses everything that a browser has not. */
async function bundled(program: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    // Inside the package, so that `salvor/client` is what a user of the package gets.
    stdin: { contents: program, resolveDir: root, loader: "js" },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    platform: "browser",
    format: "esm",
    target: "es2022",
    write: false,
    metafile: true,
    outfile: "page.js",
    logLevel: "silent",
  });
  const { contents, text } = outputFiles[0]!;
  const files = Object.entries(Object.values(metafile.outputs)[0]!.inputs)
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => file);
  return { text, gzipped: gzipSync(contents, { level: 9 }).length, files };
}

describe("a bundle for a browser", () => {
  let alone: Bundle;
  let run: Bundle;
  before(async () => {
    alone = await bundled(`import { SalvorClient } from "salvor/client"; globalThis.Client = SalvorClient;`);
    run = await bundled(`import { ClientRun } from "salvor/client"; globalThis.Run = ClientRun;`);
  });

  it("has the whole of SalvorClient in less than 15 KB gzipped", () => {
    assert.ok(alone.gzipped < LIMIT_BYTES, `${alone.gzipped} bytes`);
    for (const path of ["client-tool-intent", "model-step?stream=1", "last-event-id", "abandon"]) {
      assert.ok(alone.text.includes(path), path);
    }
  });

  it("brings nothing along with SalvorClient that only ClientRun needs", () => {
    // What ClientRun says, and nothing else does.
    const own = [/is a write, and/, /a drive token says nothing without its runId/];
    for (const words of own) {
      assert.match(run.text, words);
      assert.doesNotMatch(alone.text, words);
    }
    assert.ok(run.gzipped > alone.gzipped);
  });

  it("holds no schema compiler, nothing of the server, and one small package where a run needs it", () => {
    for (const { files, known } of [
      { ...alone, known: [] },
      { ...run, known: ["@noble/hashes"] },
    ]) {
      const others = files.filter(
        (file) => !/^dist\/(?:client|common|salvor-client|tool-drift)\b/.test(file),
      );
      const packages = others.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
      assert.deepEqual([...new Set(packages)].sort(), known);
      assert.deepEqual(
        others.filter((file) => !file.startsWith("node_modules/")),
        ["<stdin>"],
      );
      assert.deepEqual(
        files.filter((file) => /ajv|re2|koa|server/.test(file)),
        [],
      );
    }
  });

  it("is as small when rollup makes it", async () => {
    const made = await rollup({
      input: "program",
      plugins: [
        {
          name: "program",
          resolveId: (id) =>
            id === "program" ? id : id === "salvor/client" ? join(root, "dist/client/index.js") : undefined,
          load: (id) =>
            id === "program"
              ? `import { SalvorClient } from "salvor/client"; globalThis.Client = SalvorClient;`
              : undefined,
        },
      ],
    });
    const { output } = await made.generate({ format: "es" });
    await made.close();
    assert.ok(output[0].code.includes("client-tool-intent"));
    assert.doesNotMatch(output[0].code, /is a write, and/);
  });
});
