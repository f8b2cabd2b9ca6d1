import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** What a desk remembers when its process does not. */
export interface DeskState {
  readonly run: string;
}

/** What an earlier desk left in this file, or `undefined` when there was none. */
export function readState(file: string): DeskState | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as DeskState;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** On disk when it returns, whole or not at all: what is opened next must not be forgotten. */
export function writeState(file: string, state: DeskState): void {
  const beside = `${file}.new`;
  const written = openSync(beside, "w", 0o600);
  writeSync(written, JSON.stringify(state));
  fsyncSync(written);
  closeSync(written);
  renameSync(beside, file);
  const folder = openSync(dirname(file), "r");
  fsyncSync(folder);
  closeSync(folder);
}
