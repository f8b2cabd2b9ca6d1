import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ts } from "./typescript.js";
import { VERSION } from "../../version.js";

const require = createRequire(import.meta.url);

/** The versions that a schema depends on. */
export function generatorVersions(): { salvor: string; typescript: string; typescriptJsonSchema: string } {
  return { salvor: VERSION, typescript: ts.version, typescriptJsonSchema: emitterVersion() };
}

function emitterVersion(): string {
  const name = "typescript-json-schema";
  const manifest = join(require.resolve(name), "../../package.json");
  return (JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string }).version;
}
