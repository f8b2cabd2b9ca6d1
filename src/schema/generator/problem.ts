import { relative, sep } from "node:path";
import type ts from "typescript";

/** Why no schemas were written: one thing to change, and where. */
export interface GeneratorProblem {
  /** Relative to the folder of tsconfig.json, with `/` between folders; absent when no file is at fault. */
  readonly file?: string;
  /** 1-based. */
  readonly line?: number;
  /** 1-based. */
  readonly column?: number;
  /** The place inside the type, as `input.lines[].amount`; the class's name when the class itself is at fault. */
  readonly path?: string;
  /** The tool class concerned. */
  readonly tool?: string;
  readonly message: string;
  /** What to write instead. */
  readonly hint?: string;
  /** The source line at fault with a caret under it. */
  readonly frame?: string;
}

/** The way from one folder to a file as it stands in the artefact and in messages: relative, with `/`. */
export function relativePosix(root: string, file: string): string {
  return relative(root, file).split(sep).join("/");
}

/** Where a node begins, as a problem states it. */
export function locate(
  root: string,
  node: ts.Node,
): Pick<GeneratorProblem, "file" | "line" | "column" | "frame"> {
  const source = node.getSourceFile();
  return locatePosition(root, source, node.getStart(source), node.getEnd());
}

/** Where a span of a file begins, as a problem states it. */
export function locatePosition(
  root: string,
  source: ts.SourceFile,
  start: number,
  end: number,
): Pick<GeneratorProblem, "file" | "line" | "column" | "frame"> {
  const { line, character } = source.getLineAndCharacterOfPosition(start);
  const lineStart = source.getPositionOfLineAndCharacter(line, 0);
  const text = source.text.slice(lineStart).split(/\r?\n/, 1)[0] ?? "";
  const width = Math.max(1, Math.min(end - start, text.length - character));
  const gutter = String(line + 1);
  const frame = [
    `${gutter} | ${text}`,
    `${" ".repeat(gutter.length)} | ${text.slice(0, character).replace(/[^\t]/g, " ")}${"^".repeat(width)}`,
  ].join("\n");
  return { file: relativePosix(root, source.fileName), line: line + 1, column: character + 1, frame };
}

/** A problem as it is printed: place, what is wrong, the code, what to write instead. */
export function renderProblem(problem: GeneratorProblem): string {
  const place =
    problem.file === undefined ? "" : `${problem.file}:${problem.line ?? 1}:${problem.column ?? 1} `;
  const subject = [problem.tool, problem.path].filter((part) => part !== undefined);
  const about = [...new Set(subject)].join(" ");
  const lines = [`${place}${about === "" ? "" : `${about}: `}${problem.message}`];
  if (problem.frame !== undefined) lines.push(indent(problem.frame));
  if (problem.hint !== undefined) lines.push(indent(`Instead: ${problem.hint}`));
  return lines.join("\n");
}

function indent(text: string): string {
  return text.replace(/^/gm, "    ");
}
