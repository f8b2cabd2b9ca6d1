import { EFFECTS, isEffect } from "../contract/effect.js";
import { isJsonObject, ownValue, type JsonObject } from "../contract/json.js";
import { compileStrict, didYouMean, SchemaError } from "../schema/index.js";
import { checkFields } from "./check-fields.js";
import { deepFreeze } from "../contract/deep-freeze.js";
import type { DeclaredTool } from "./declared-tool.js";
import { keyText, type Finding } from "./finding.js";
import { kind, type DeclaredSchema, type Report } from "./report.js";

/** What a model's interface accepts as a tool's name. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

const KEYS = [
  "name",
  "effect",
  "trust_completion",
  "require_equal",
  "idempotency_key",
  "description",
  "title",
  "input_schema",
  "output_schema",
  "input_schema_path",
  "output_schema_path",
];

/**
 * Checks a declaration and compiles its schemas. What is wrong is added to the findings.
 *
 * @param findings what is known to be wrong already; a key that is named there is not reported again.
 * @returns the tool, or `undefined` when there are findings.
 */
export function checkDeclaration(raw: JsonObject, findings: Finding[]): DeclaredTool | undefined {
  const before = [...findings];
  const isReported = (key: string) => before.some(({ path }) => path[0] === key || path[0] === `${key}_path`);
  const report: Report = (path, what, advice) => findings.push({ path, what, advice });

  for (const key of Object.keys(raw)) if (!KEYS.includes(key)) reportUnknown(key, report);
  // Whoever reads a file has put the schema in the place of its path.
  for (const key of ["input_schema_path", "output_schema_path"])
    if (Object.hasOwn(raw, key)) report([key], `${key} stands outside of a file`, "give the schema itself");
  const text = (key: "name" | "description" | "title" | "effect"): string | undefined => {
    const value = isReported(key) ? undefined : ownValue(raw, key);
    if (value === undefined || typeof value === "string") return value;
    report([key], `${key} is ${kind(value)}`, `write text: ${key} = "..."`);
    return undefined;
  };
  const name = text("name");
  if (missing(raw, "name")) report(["name"], "name is missing", 'write name = "refund_card"');
  else if (name !== undefined && !NAME.test(name))
    report(
      ["name"],
      name === "" ? "name is empty" : `name is ${JSON.stringify(name)}`,
      "write 1 to 64 letters, digits, _ or -",
    );
  const effect = text("effect");
  const effects = EFFECTS.map((known) => `"${known}"`).join(", ");
  if (missing(raw, "effect")) report(["effect"], "effect is missing", `write effect = one of ${effects}`);
  else if (effect !== undefined && !isEffect(effect))
    report(
      ["effect"],
      `effect is ${JSON.stringify(effect)}`,
      `write one of ${effects}${meant(effect, EFFECTS)}`,
    );
  const description = text("description");
  const title = text("title");
  const trust = Object.hasOwn(raw, "trust_completion") ? raw["trust_completion"] : false;
  if (typeof trust !== "boolean" && !isReported("trust_completion"))
    report(["trust_completion"], `trust_completion is ${kind(trust ?? null)}`, "write true or false");

  const input = schemaOf(raw, "input_schema", isReported, report);
  const output = schemaOf(raw, "output_schema", isReported, report);
  if (missing(raw, "input_schema") && !isReported("input_schema"))
    report(["input_schema"], "input_schema is missing", 'write [input_schema] with type = "object"');
  const fields = checkFields(raw, { input, output, isReported }, report);

  if (findings.length > 0 || name === undefined || !isEffect(effect) || input?.judge === undefined)
    return undefined;
  return Object.freeze({
    declaration: deepFreeze({
      name,
      effect,
      input_schema: input.schema,
      ...(output && { output_schema: output.schema }),
      trust_completion: trust === true,
      require_equal: fields.requireEqual,
      idempotency_key: fields.idempotencyKey,
      ...(description !== undefined && { description }),
      ...(title !== undefined && { title }),
    }),
    judgeInput: input.judge,
    ...(output?.judge && { judgeOutput: output.judge }),
  });
}

function schemaOf(
  raw: JsonObject,
  key: "input_schema" | "output_schema",
  isReported: (key: string) => boolean,
  report: Report,
): DeclaredSchema | undefined {
  const schema = ownValue(raw, key);
  if (schema === undefined) return undefined;
  if (!isJsonObject(schema)) {
    if (!isReported(key)) report([key], `${key} is ${kind(schema)}`, `write a table: [${key}]`);
    return undefined;
  }
  if (isReported(key)) return { schema };
  try {
    return { schema, judge: compileStrict(schema) };
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    const path = [key, ...error.path];
    report(
      path,
      `${keyText(path)}: ${error.problem}`,
      'correct the schema (docs/declarations.md, "Schemas")',
    );
    return { schema };
  }
}

function missing(raw: JsonObject, key: string): boolean {
  return !Object.hasOwn(raw, key);
}

function reportUnknown(key: string, report: Report): void {
  const near = didYouMean(key, KEYS);
  report(
    [key],
    `unknown key ${keyText([key])}`,
    near === undefined ? `leave it out; the keys are ${KEYS.join(", ")}` : `did you mean ${near}?`,
  );
}

function meant(word: string, candidates: readonly string[]): string {
  const near = didYouMean(word, candidates);
  return near === undefined ? "" : `; did you mean "${near}"?`;
}
