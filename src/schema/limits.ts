/** What a schema may be made of. Compiling time grows with each, so each is bounded before a compiler sees it. */
export interface SchemaLimits {
  /** Characters of its JSON text. */
  readonly text: number;
  /** Levels of nesting. */
  readonly depth: number;
  readonly subschemas: number;
  /** Keywords of all its subschemas, and the names that `required` and its kin list. */
  readonly keywords: number;
  /** Characters of one pattern. */
  readonly pattern: number;
  /** Instructions of all its compiled patterns together. */
  readonly patternPrograms: number;
}

/** For a schema that an operator or a tool's author wrote. */
export const TRUSTED_LIMITS: SchemaLimits = {
  text: 256 * 1024,
  depth: 64,
  subschemas: 1000,
  keywords: 5000,
  pattern: 2000,
  patternPrograms: 10_000,
};

/** For a schema that came from elsewhere. */
export const UNTRUSTED_LIMITS: SchemaLimits = {
  text: 64 * 1024,
  depth: 64,
  subschemas: 500,
  keywords: 2000,
  pattern: 1000,
  patternPrograms: 5000,
};

/** What a value may be made of to be judged at all. Its size in bytes is bounded by what the transport accepts. */
export const VALUE_LIMITS = {
  /** Levels of nesting. */
  depth: 128,
  /** Members and items, counted at every level. */
  parts: 50_000,
  /** Characters of all its strings and keys. */
  text: 8 * 1024 * 1024,
} as const;

/** The most violations that one judgement reports. */
export const MAX_VIOLATIONS = 100;
