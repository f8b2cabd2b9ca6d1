import { parse } from "toml";
import { isJsonObject, type JsonObject } from "../contract/json.js";
import type { Finding, Origin } from "./finding.js";
import { plainCopy } from "./plain-copy.js";
import { readSchemaFiles } from "./schema-file.js";
import { TOML_DATES } from "./toml-date.js";
import { tomlPositions } from "./toml-positions.js";

/** What a declaration's text says, as plain data, and what is wrong with it so far. */
export interface ReadDeclaration {
  /** Absent when the text is no TOML at all. */
  readonly raw?: JsonObject;
  readonly origin: Origin;
  readonly findings: readonly Finding[];
}

/** Reads a declaration's TOML into plain data, with the schemas that it names as files. Judges nothing that the data means. */
export function readDeclaration(text: string, file: string): ReadDeclaration {
  const findings: Finding[] = [];
  const parsed = parseToml(text, findings);
  if (parsed === undefined) {
    return { origin: { file, locate: () => undefined, schemaFiles: new Map() }, findings };
  }
  const copy = plainCopy(parsed, [], findings);
  const { raw, schemaFiles } = readSchemaFiles(isJsonObject(copy) ? copy : {}, file, findings);
  return { raw, origin: { file, locate: tomlPositions(text), schemaFiles }, findings };
}

function parseToml(text: string, findings: Finding[]): unknown {
  try {
    return parse(text, { useTemporal: true, temporal: TOML_DATES, bigint: true });
  } catch (error) {
    findings.push(syntaxFinding(error));
    return undefined;
  }
}

interface ParserError {
  readonly message?: string;
  readonly line?: number;
  readonly column?: number;
  readonly location?: { readonly start: { readonly line: number; readonly column: number } };
}

function syntaxFinding(error: unknown): Finding {
  const advice = "correct the TOML (https://toml.io/en/v1.0.0)";
  if (error instanceof RangeError) return { path: [], what: "nested too deep", advice };
  const { message = String(error), location, line, column } = error as ParserError;
  const position =
    location === undefined
      ? line === undefined || column === undefined
        ? undefined
        : { line, column }
      : { line: location.start.line, column: location.start.column };
  return { path: [], what: `not TOML: ${message}`, advice, ...(position && { position }) };
}
