import { existsSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { anchorOf, headings, readPage, root, type Page } from "./pages.js";

/** Links of a page that lead nowhere inside the repository, as `page: link: why`. Links to other sites are not followed. */
export function brokenLinks(page: Page): readonly string[] {
  const prose = page.text.replace(/^```.*?^```$/gms, "").replace(/`[^`\n]*`/g, "");
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return targets.flatMap((target) => {
    if (/^[a-z]+:/.test(target)) return [];
    const why = whyBroken(page, target);
    return why === undefined ? [] : [`${page.path}: ${target}: ${why}`];
  });
}

function whyBroken(page: Page, target: string): string | undefined {
  const [path = "", anchor] = target.split("#");
  const file = posix.join(posix.dirname(page.path), path);
  if (path !== "" && (file.startsWith("..") || !existsSync(join(root, file)))) return "there is no such file";
  if (anchor === undefined) return undefined;
  if (path !== "" && !statSync(join(root, file)).isFile()) return "a folder has no headings";
  const there = path === "" ? page : readPage(file);
  return headings(there).some((heading) => anchorOf(heading) === anchor) ? undefined : "no such heading";
}

/** What a source refers to in the documents (`docs/page.md, "Heading"`) and does not find there. */
export function brokenReferences({ path, text }: Page): readonly string[] {
  // A reference may be wrapped onto a comment's next line.
  const unwrapped = text.replace(/\s*\n\s*(?:\*|\/\/) ?/g, " ");
  return [...unwrapped.matchAll(/\bdocs\/([\w-]+\.md)(?:, "([^"]+)")?/g)].flatMap(
    ([, name = "", heading]) => {
      const file = `docs/${name}`;
      if (!existsSync(join(root, file))) return [`${path}: ${file}: there is no such page`];
      if (heading === undefined || headings(readPage(file)).includes(heading)) return [];
      return [`${path}: ${file}: no heading "${heading}"`];
    },
  );
}

/** The npm scripts that a page tells its readers to run and package.json does not have. */
export function unknownScripts({ path, text }: Page, scripts: readonly string[]): readonly string[] {
  return [...text.matchAll(/\bnpm run ([\w:-]+)/g)].flatMap(([, name = ""]) =>
    scripts.includes(name) ? [] : [`${path}: npm run ${name}: there is no such script`],
  );
}
