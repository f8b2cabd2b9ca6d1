import type { JsonPath } from "../log/json-path.js";
import { TomlScanner, UnsureError } from "./toml-scanner.js";

/** A place in a text; both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Finds where the keys of a TOML text stand; the parser does not say. Meant for a text that the parser accepted.
 *
 * @returns a function that answers where a path is written, or the nearest thing around it that is: its table. `undefined` for the
 * whole document, or when the text was not understood to the end: no line is better than a wrong one.
 */
export function tomlPositions(text: string): (path: JsonPath) => Position | undefined {
  const offsets = scan(text);
  return (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const offset = offsets.get(pathKey(path.slice(0, length)));
      if (offset !== undefined) return positionAt(text, offset);
    }
    return undefined;
  };
}

function scan(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  try {
    new TomlScanner(text, (path, offset) => {
      const key = pathKey(path);
      if (!found.has(key)) found.set(key, offset);
    }).scan();
    return found;
  } catch (error) {
    if (error instanceof UnsureError || error instanceof RangeError) return new Map();
    throw error;
  }
}

function pathKey(path: JsonPath): string {
  return JSON.stringify(path);
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}
