import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { root } from "../docs/pages.js";

/** Every module of ours that a module imports, and every other module, by the specifier it is imported with. */
function importsFrom(entry: string): {
  readonly files: ReadonlySet<string>;
  readonly others: ReadonlySet<string>;
} {
  const files = new Set<string>();
  const others = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const [, from, effect, late] of readFileSync(file, "utf8").matchAll(
      /^(?:import|export)\b[^;]*? from ["']([^"']+)["'];|^import ["']([^"']+)["'];|\bimport\(["']([^"']+)["']\)/gm,
    )) {
      const specifier = from ?? effect ?? late ?? "";
      if (specifier.startsWith(".")) visit(join(dirname(file), specifier));
      else others.add(specifier);
    }
  };
  visit(entry);
  return { files, others };
}

describe("salvor/client", () => {
  it("imports nothing of Node, so that it runs wherever there is a fetch", () => {
    const { files, others } = importsFrom(join(root, "dist/client/index.js"));
    assert.ok(files.size > 1);
    assert.deepEqual([...others].sort(), ["@noble/hashes/sha2.js", "@noble/hashes/utils.js"]);
  });
});
