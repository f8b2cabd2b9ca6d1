import type { Page } from "./pages.js";

/** The rows of the first table under a heading, cell by cell, without the row of its heads. */
export function tableUnder({ text }: Page, heading: string): readonly (readonly string[])[] {
  const section = text.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("|") && !line.startsWith("|---"))
    .slice(1)
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
}
