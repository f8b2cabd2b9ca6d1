import type ts from "typescript";
import { locate, locatePosition, type GeneratorProblem } from "./problem.js";

/** Where in a type the walk is, and which source to show for it. */
export interface Place {
  /** As `input.lines[].amount`. */
  readonly path: string;
  /** The nearest node of the author's own. */
  readonly where: ts.Node;
}

/** Collects problems, each once: a type that two walks meet is wrong in the same way twice. */
export class Reporter {
  readonly problems: GeneratorProblem[] = [];
  readonly #seen = new Set<string>();
  #tool: string | undefined;

  constructor(readonly root: string) {}

  /** Names the tool class that problems are about from here on. */
  about(tool: string | undefined): void {
    this.#tool = tool;
  }

  at(place: Place, message: string, hint?: string): void {
    this.add({
      ...locate(this.root, place.where),
      path: place.path,
      message,
      ...(hint !== undefined && { hint }),
    });
  }

  atSpan(
    place: Place,
    span: { readonly pos: number; readonly end: number },
    message: string,
    hint: string,
  ): void {
    const spot = locatePosition(this.root, place.where.getSourceFile(), span.pos, span.end);
    this.add({ ...spot, path: place.path, message, hint });
  }

  add(problem: GeneratorProblem): void {
    const named = { ...problem, ...(this.#tool !== undefined && { tool: this.#tool }) };
    const key = JSON.stringify([
      named.tool,
      named.path,
      named.message,
      named.path === undefined && named.line,
    ]);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.problems.push(named);
  }
}
