import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** A file of the operator's page, as it is answered. */
export interface PageFile {
  readonly type: string;
  readonly content: Buffer;
  readonly etag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  txt: "text/plain; charset=utf-8",
};

/** The files of the page by their names, as `npm run build` has packed them. */
export async function readPageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  // By the package's own name: this module is in dist as well as in build.
  const packageFile = createRequire(import.meta.url).resolve("salvor/package.json");
  const folder = join(dirname(packageFile), "dist/console");
  const files = new Map<string, PageFile>();
  for (const name of await readdir(folder)) {
    const type = TYPES[name.slice(name.lastIndexOf(".") + 1)];
    if (type === undefined) continue;
    const content = await readFile(join(folder, name));
    const etag = `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
    files.set(name, { type, content, etag });
  }
  return files;
}
