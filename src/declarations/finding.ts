import type { JsonPath } from "../log/json-path.js";
import type { DeclarationProblem } from "./problem.js";
import type { Position } from "./toml-positions.js";

/** A problem as a check finds it: by its path in the declaration, before anybody asks where in a file that is. */
export interface Finding {
  readonly path: JsonPath;
  readonly what: string;
  readonly advice: string;
  /** A position that is known already, from the parser. */
  readonly position?: Position;
}

/** Where a declaration comes from. */
export interface Origin {
  readonly file: string;
  /** Where the text says something about a path; `undefined` when that is not certain. */
  readonly locate: (path: JsonPath) => Position | undefined;
  /** The files that schemas were read from, by their key; positions in them are not known. */
  readonly schemaFiles: ReadonlyMap<string, string>;
}

/** Findings as problems, with file, line and column where they are known. */
export function problemsOf(
  findings: readonly Finding[],
  origin: Origin | undefined,
): readonly DeclarationProblem[] {
  const problems: DeclarationProblem[] = findings.map(({ path, what, advice, position }) => {
    const key = keyText(path);
    const schemaFile = origin?.schemaFiles.get(String(path[0]));
    if (schemaFile !== undefined && position === undefined) return { file: schemaFile, key, what, advice };
    const at = position ?? origin?.locate(path);
    return { ...(origin && { file: origin.file }), ...at, key, what, advice };
  });
  // In the order of the text; what has no place comes first.
  return problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

/** A second declaration under a name. */
export function nameIsTaken(name: string, where: string): Finding {
  return {
    path: ["name"],
    what: `name "${name}" is declared already${where}`,
    advice: "give each tool a name of its own, or leave one of the two out",
  };
}

/** A path as TOML writes keys: `input_schema.properties."odd key".enum[2]`. */
export function keyText(path: JsonPath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += `${text === "" ? "" : "."}${/^[A-Za-z0-9_-]+$/.test(step) ? step : JSON.stringify(step)}`;
  }
  return text;
}
