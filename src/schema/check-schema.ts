import type { JsonObject, JsonSchema } from "../contract/json.js";
import type { JsonPath } from "../log/json-path.js";
import { formatNames } from "./ajv-instance.js";
import { brief } from "./brief.js";
import { costOf } from "./cost-of.js";
import type { Cost } from "./cost.js";
import { dialectOf, type Dialect } from "./dialect.js";
import { didYouMean } from "./did-you-mean.js";
import { PatternError } from "./ecma-pattern.js";
import { knownKeywords } from "./known-keywords.js";
import type { SchemaLimits } from "./limits.js";
import { linearPattern } from "./linear-pattern.js";
import { checkAgainstMeta } from "./meta-schema.js";
import { boundSchema } from "./schema-bounds.js";
import { SchemaError } from "./schema-error.js";
import { subschemas } from "./subschemas.js";

export interface CheckRules {
  /** Whether unknown keywords and formats are refused, or ignored as the standard says. */
  readonly strict: boolean;
  readonly limits: SchemaLimits;
}

/** A schema that may be compiled, and what judging a value against it costs at most. */
export interface CheckedSchema {
  readonly schema: JsonSchema;
  readonly dialect: Dialect;
  readonly cost: Cost;
}

/**
 * Checks everything about a schema that can be told without compiling it. Bounded in time for any input.
 *
 * @throws {@link SchemaError} naming the place.
 */
export function checkSchema(schema: JsonSchema, rules: CheckRules): CheckedSchema {
  boundSchema(schema, rules.limits);
  const dialect = dialectOf(schema);
  checkAgainstMeta(schema, dialect);
  const programs = new Map<string, number>();
  let count = 0;
  let keywords = 0;
  let total = 0;
  const walk = (path: JsonPath, part: JsonSchema): void => {
    count += 1;
    if (count > rules.limits.subschemas) {
      throw new SchemaError(
        path,
        `more than the ${rules.limits.subschemas} subschemas that a schema may have`,
      );
    }
    if (typeof part === "boolean") return;
    keywords += Object.keys(part).length + listedNames(part);
    if (keywords > rules.limits.keywords) {
      throw new SchemaError(
        path,
        `more than the ${rules.limits.keywords} keywords and names that a schema may have`,
      );
    }
    checkKeywords(path, part, dialect, rules);
    for (const [where, pattern] of patternsOf(part)) {
      if (programs.has(pattern)) continue;
      const size = sizeOf([...path, ...where], pattern, rules.limits);
      programs.set(pattern, size);
      total += size;
      if (total > rules.limits.patternPrograms) {
        throw new SchemaError(
          [...path, ...where],
          `the patterns of this schema are too large together; the one here is ${brief(pattern)}`,
        );
      }
    }
    for (const child of subschemas(part)) walk([...path, ...child.path], child.schema);
  };
  walk([], schema);
  return { schema, dialect, cost: costOf(schema, (pattern) => programs.get(pattern) ?? Infinity) };
}

function checkKeywords(path: JsonPath, part: JsonObject, dialect: Dialect, { strict }: CheckRules): void {
  for (const keyword of Object.keys(part)) {
    if (keyword === "$async") throw new SchemaError([...path, keyword], "$async is not accepted");
    if (keyword === "$schema" && path.length > 0)
      throw new SchemaError([...path, keyword], "a dialect is chosen at the top of a schema only");
    if (!strict) continue;
    const known = knownKeywords(dialect);
    if (!known.has(keyword))
      throw new SchemaError(
        [...path, keyword],
        `unknown keyword in ${dialect}${hint(didYouMean(keyword, known))}`,
      );
    const format = part["format"];
    if (keyword === "format" && typeof format === "string" && !formatNames().has(format))
      throw new SchemaError(
        [...path, keyword],
        `unknown format ${brief(format)}${hint(didYouMean(format, formatNames()))}`,
      );
  }
}

/** Names that code is generated for, one by one. */
function listedNames(part: JsonObject): number {
  const lists = [part["dependentRequired"], part["dependencies"]].flatMap((map) =>
    typeof map === "object" && map !== null ? Object.values(map) : [],
  );
  return [part["required"], ...lists].reduce<number>(
    (sum, list) => (Array.isArray(list) ? sum + list.length : sum),
    0,
  );
}

/** The patterns that stand directly in a schema, each with the way to it. */
function patternsOf(part: JsonObject): (readonly [JsonPath, string])[] {
  const found: (readonly [JsonPath, string])[] = [];
  const { pattern, patternProperties } = part;
  if (Object.hasOwn(part, "pattern") && typeof pattern === "string") found.push([["pattern"], pattern]);
  if (
    Object.hasOwn(part, "patternProperties") &&
    typeof patternProperties === "object" &&
    patternProperties !== null
  )
    for (const key of Object.keys(patternProperties)) found.push([["patternProperties", key], key]);
  return found;
}

function sizeOf(path: JsonPath, pattern: string, limits: SchemaLimits): number {
  if (pattern.length > limits.pattern) {
    throw new SchemaError(path, `the pattern ${brief(pattern)} is longer than ${limits.pattern} characters`);
  }
  try {
    return linearPattern(pattern).size;
  } catch (cause) {
    if (!(cause instanceof PatternError)) throw cause;
    throw new SchemaError(path, `the pattern ${brief(pattern)}: ${cause.message}`, { cause });
  }
}

function hint(meant: string | undefined): string {
  return meant === undefined ? "" : `; did you mean ${brief(meant)}?`;
}
