import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** The folder of the checkout. */
export const root = join(import.meta.dirname, "../../..");

/** A text file of the repository: its path from the root, with `/`, and what it holds. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** The Markdown of the repository: the root's, docs/ and the examples'. */
export function markdownPages(): readonly Page[] {
  const top = readdirSync(root)
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(root, name));
  return [...top, ...filesBelow("docs", ".md"), ...filesBelow("examples", ".md")].map(read);
}

/** Our TypeScript sources. */
export function sources(): readonly Page[] {
  return filesBelow("src", ".ts").map(read);
}

/** Our tests, and what they share. */
export function testSources(): readonly Page[] {
  return filesBelow("test", ".ts").map(read);
}

export function readPage(path: string): Page {
  return read(join(root, path));
}

function filesBelow(folder: string, ending: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes("node_modules"));
}

function read(file: string): Page {
  return { path: relative(root, file).split(sep).join("/"), text: readFileSync(file, "utf8") };
}

/** A fenced code block of a page. */
export interface CodeBlock {
  readonly language: string;
  readonly code: string;
}

export function codeBlocks({ text }: Page): readonly CodeBlock[] {
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = "", code = ""]) => ({
    language,
    code,
  }));
}

/** The headings of a page. */
export function headings({ text }: Page): readonly string[] {
  const prose = text.replace(/^```.*?^```$/gms, "");
  return [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => heading.trim());
}

/** The anchor that GitHub gives a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}
