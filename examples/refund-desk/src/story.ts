const WIDTH = 100;

/** Tells what happens, in lines that a terminal and a log both show well. */
export class Story {
  readonly #write: (line: string) => void;
  readonly #color: boolean;

  constructor(write: (line: string) => void, color: boolean) {
    this.#write = write;
    this.#color = color;
  }

  title(text: string): void {
    this.#write("");
    this.#write(this.#color ? `\u001b[1m${text}\u001b[22m` : text);
  }

  says(text: string): void {
    for (const line of wrapped(text, WIDTH - 2)) this.#write(`  ${line}`);
  }

  /** What somebody else said, word for word. */
  quotes(who: string, text: string): void {
    this.says(`${who}:`);
    for (const line of wrapped(text, WIDTH - 6)) this.#write(`    | ${line}`);
  }

  /** Something to type, as it is: one part a line. */
  types(parts: readonly string[]): void {
    parts.forEach((part, at) => {
      this.#write(`  ${at === 0 ? "$ " : "    "}${part}${at === parts.length - 1 ? "" : " \\"}`);
    });
  }

  table(rows: readonly (readonly string[])[]): void {
    const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
    for (const row of rows) {
      this.#write(`  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")}`.trimEnd());
    }
  }
}

/** Lines of at most this width, broken at spaces; a longer word has a line of its own. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(" ")) {
      if (line !== "" && line.length + 1 + word.length > width) {
        lines.push(line);
        line = word;
      } else line = line === "" ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines;
}
