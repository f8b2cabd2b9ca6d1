import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SchemaArtefact } from "../../contract/artefact.js";

/** The artefact as it stands in its file: keys sorted, two spaces, one line feed at the end. The same bytes everywhere. */
export function artefactText(artefact: SchemaArtefact): string {
  return `${JSON.stringify(sortKeys(artefact), null, 2)}\n`;
}

/** Writes the artefact so that a reader finds the old one or the new one, never a part of it. */
export function writeArtefact(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = join(dirname(file), `.${randomUUID()}.tmp`);
  try {
    writeFileSync(draft, text, { flag: "wx" });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}
