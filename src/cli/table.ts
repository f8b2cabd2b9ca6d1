/** A column of a table: its heading, and whether its cells are numbers. */
export interface Column {
  readonly title: string;
  readonly align?: "right";
}

const GAP = "  ";

/**
 * Rows as lines of equal columns. Where `width` is too small, the last column is cut, never one before it: an id that is
 * not whole is of no use.
 */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width = Infinity,
): readonly string[] {
  const all = [columns.map((column) => column.title), ...rows];
  const widths = columns.map((_, at) => Math.max(...all.map((row) => lengthOf(row[at] ?? ""))));
  return all.map((row) =>
    fit(
      columns.map((column, at) => cell(row[at] ?? "", widths[at] ?? 0, column)),
      width,
    ),
  );
}

function cell(text: string, width: number, column: Column): string {
  const blank = " ".repeat(width - lengthOf(text));
  return column.align === "right" ? blank + text : text + blank;
}

function fit(cells: readonly string[], width: number): string {
  const line = cells.join(GAP).trimEnd();
  const points = Array.from(line);
  if (points.length <= width) return line;
  const before = cells.slice(0, -1).join(GAP);
  const room = width - lengthOf(before) - GAP.length;
  return room < 2 ? before.trimEnd() : `${points.slice(0, width - 1).join("")}…`;
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
