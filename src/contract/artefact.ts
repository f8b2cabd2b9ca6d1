import type { Effect } from "./effect.js";

/** The version of the artefact that this code reads and writes. */
export const ARTEFACT_FORMAT = 1;

/**
 * What `salvor schemas` writes and {@link ToolSet} reads (docs/tools.md). The type is as wide as what TypeScript makes of
 * `import schemas from "./tools.schemas.json" with { type: "json" }`; the rest is checked when a tool is registered.
 */
export interface SchemaArtefact {
  readonly formatVersion: number;
  /** Which versions wrote it: `salvor`, `typescriptJsonSchema`, `typescript`. */
  readonly generator: Readonly<Record<string, string>>;
  /** The sources that it was made from, as relative paths, with the SHA-256 of each. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly tools: Readonly<Record<string, ToolSchemas>>;
}

/** What the artefact holds of one tool, under the tool's name. */
export interface ToolSchemas {
  readonly class: string;
  /** The file that declares the class, as a relative path. */
  readonly file: string;
  /** One of {@link Effect}. */
  readonly effect: Effect | (string & {});
  /** The class's doc comment. */
  readonly description?: string;
  readonly input: SchemaObject;
  readonly output: SchemaObject;
  /** SHA-256 of what the tool's types say. */
  readonly fingerprint: string;
}

/** A JSON Schema that is an object. */
export type SchemaObject = Readonly<Record<string, unknown>>;
