import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { pathToFileURL } from "node:url";

const script = join(import.meta.dirname, "../../../scripts/lib/remove-orphans.js");
const { removeOrphans } = (await import(pathToFileURL(script).href)) as {
  readonly removeOrphans: (built: string, sources: string) => void;
};

it("a build removes what deleted sources left behind, and nothing else", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "salvor-orphans-"));
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const put = (path: string) => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), "");
  };
  const kept = ["log/fold.js", "log/fold.js.map", "log/fold.d.ts", "console/page.html", "notes.json"];
  const orphans = ["log/gone.js", "log/gone.js.map", "log/gone.d.ts", "old/a.js"];
  put("src/log/fold.ts");
  for (const path of [...kept, ...orphans]) put(`dist/${path}`);

  removeOrphans(join(folder, "dist"), join(folder, "src"));

  const left = readdirSync(join(folder, "dist"), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, "dist").length + 1));
  assert.deepEqual(left.sort(), [...kept].sort());
});
