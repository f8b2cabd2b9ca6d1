import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, it } from "node:test";
import ts from "typescript";
import { root } from "../docs/pages.js";

const dist = join(root, "dist");

interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
}

function filesOf(folder: string, ending: RegExp): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

describe("what is published", () => {
  it("has each module in one file, so that a class is the same class through every entry point", () => {
    const places = new Map<string, string>();
    for (const map of filesOf(dist, /\.js\.map$/)) {
      const { sources } = JSON.parse(readFileSync(map, "utf8")) as { readonly sources: readonly string[] };
      for (const source of sources.map((each) => resolve(dirname(map), each))) {
        assert.equal(places.get(source), undefined, `${source} is also in ${map}`);
        assert.ok(existsSync(source), `${map} names ${source}`);
        places.set(source, map);
      }
    }
    const named = [...places.keys()].map((file) => relative(join(root, "src"), file));
    for (const file of ["contract/tool-set.ts", "server/app.ts", "store/errors.ts"])
      assert.ok(named.includes(file), file);
  });

  it("has a module and its types for every name that others import", () => {
    const { bin, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
    for (const file of [...Object.values(bin), ...Object.values(exports)]) {
      assert.ok(existsSync(join(root, file)), file);
      if (file.endsWith("index.js")) assert.ok(existsSync(join(root, file.replace(/\.js$/, ".d.ts"))), file);
    }
  });

  it("brings the licences of the packages that are packed into it", () => {
    const notices = readFileSync(join(dist, "LICENSES.txt"), "utf8");
    const packed = [
      ...readFileSync(join(dist, "engines.cjs"), "utf8").matchAll(/"(node_modules\/[^"]*)"/g),
    ].map(([, file = ""]) => file);
    for (const map of filesOf(dist, /\.js\.map$/))
      packed.push(...(JSON.parse(readFileSync(map, "utf8")) as { readonly sources: string[] }).sources);
    const names = new Set(
      packed.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.slice(1) ?? []),
    );
    for (const name of ["ajv", "canonicalize", "reflect-metadata"]) assert.ok(names.has(name), name);
    for (const name of names)
      assert.match(notices, new RegExp(`^${name} \\d.*\\((?:MIT|BSD-3-Clause|Apache-2.0|ISC)\\)$`, "m"));
    assert.match(notices, /Permission is hereby granted/);
  });

  it("needs no package before a tool is called, where a program loads only the tool author's face", () => {
    const files = new Set([join(dist, "index.js")]);
    const packages: string[] = [];
    for (const file of files) {
      const { importedFiles } = ts.preProcessFile(readFileSync(file, "utf8"));
      for (const { fileName } of importedFiles) {
        if (fileName.startsWith(".")) files.add(resolve(dirname(file), fileName));
        else packages.push(fileName);
      }
    }
    assert.ok(files.size > 2);
    assert.deepEqual(packages, ["node:module"]);
  });
});
