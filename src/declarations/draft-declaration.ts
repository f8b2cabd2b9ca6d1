import type { ToolSchemas } from "../contract/artefact.js";
import type { Effect } from "../contract/effect.js";
import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../contract/json.js";
import { ClientToolRegistry, type DeclarationInput } from "./client-tool-registry.js";
import { parseDeclaration } from "./load-declarations.js";
import { tomlLine, tomlTable } from "./toml-text.js";

export type SchemaSide = "input" | "output";

export interface DeclarationDraft {
  /** A declaration's TOML. */
  readonly text: string;
  /** Schemas that TOML cannot carry, since it has no null: the text names a file for each, which is to be written beside it. */
  readonly schemaFiles: readonly { readonly side: SchemaSide; readonly file: string }[];
}

/** Fields that stand for the call itself, so that no key may be made of them. */
const RESERVED: readonly string[] = ["run", "tool", "seq"];

/**
 * A declaration for a tool class, for an operator to read and complete: what the class says of itself is filled in, and nothing
 * is trusted (docs/declarations.md, "From a tool class").
 *
 * @throws {@link DeclarationError} when a server would refuse it, such as for a schema that is too large.
 */
export function draftDeclaration(name: string, tool: ToolSchemas): DeclarationDraft {
  const [input, output] = [orderly(tool.input as JsonObject), orderly(tool.output as JsonObject)];
  const effect = tool.effect as Effect;
  const description = tool.description === undefined ? {} : { description: tool.description };
  const schemaFiles: { side: SchemaSide; file: string }[] = [];
  const tables: string[] = [];
  const lines = [
    `# Drafted from the class ${oneLine(tool.class)} in ${oneLine(tool.file)}. Read it before a server does: the effect and the`,
    "# schemas are what the program says of itself, and whom to trust is yours to say.",
    tomlLine("name", name),
    tomlLine("effect", effect),
    ...(tool.description === undefined ? [] : [tomlLine("description", tool.description)]),
    "",
    "# true: a client's report closes a call, when it matches output_schema. false: a person settles every call.",
    "trust_completion = false",
    ...hints(input, output),
  ];
  for (const [side, schema] of [
    ["input", input],
    ["output", output],
  ] as const) {
    const table = tomlTable(`${side}_schema`, schema);
    if (table !== undefined) {
      tables.push(`\n${table}`);
      continue;
    }
    const file = `${name}.${side}.json`;
    schemaFiles.push({ side, file });
    lines.push(
      "",
      "# The schema holds a null, which TOML does not have.",
      tomlLine(`${side}_schema_path`, file),
    );
  }
  const text = `${lines.join("\n")}\n${tables.join("")}`;
  const whole: DeclarationInput = {
    name,
    effect,
    ...description,
    input_schema: input,
    output_schema: output,
  };
  new ClientToolRegistry().declare(whole);
  if (schemaFiles.length === 0) parseDeclaration(text, `${name}.toml`);
  return { text, schemaFiles };
}

/** What is set once somebody has thought about it, with the fields that a server would accept there. */
function hints(input: JsonObject, output: JsonObject): readonly string[] {
  const given = requiredOf(input);
  const answered = requiredOf(output);
  const key = given.filter((field) => !RESERVED.includes(field));
  const equal = given.filter((field) => answered.includes(field));
  return [
    "",
    "# Fields that the output must repeat from the input, equal; both schemas require them.",
    equal.length === 0 ? "# (no field is required on both sides)" : `# ${listLine("require_equal", equal)}`,
    "",
    "# Input fields that identify a call: the same values in one run are the same call. Without it every call is its own.",
    key.length === 0 ? "# (the input requires no field)" : `# ${listLine("idempotency_key", key)}`,
  ];
}

/** In one line however long, since it stands in a comment. */
function listLine(key: string, fields: readonly string[]): string {
  return `${key} = [${fields.map((field) => tomlLine("x", field).slice("x = ".length)).join(", ")}]`;
}

function requiredOf(schema: JsonObject): readonly string[] {
  const required = ownValue(schema, "required");
  if (ownValue(schema, "type") !== "object" || !Array.isArray(required)) return [];
  return (required as readonly JsonValue[]).filter((field) => typeof field === "string");
}

const FIRST = ["$schema", "title", "description", "type", "required", "additionalProperties"];

/** What a schema is, before what it holds. Only the order changes. */
function orderly(schema: JsonObject): JsonObject {
  const first = FIRST.filter((keyword) => Object.hasOwn(schema, keyword));
  const rest = Object.keys(schema).filter((keyword) => !first.includes(keyword));
  const ordered = [...first, ...rest].map(
    (keyword) => [keyword, orderlyIn(keyword, schema[keyword] ?? null)] as const,
  );
  return Object.fromEntries(ordered);
}

function orderlyIn(keyword: string, value: JsonValue): JsonValue {
  if (!["properties", "definitions"].includes(keyword) || !isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isJsonObject(member) ? orderly(member) : member]),
  );
}

/** A text from a program, safe in a comment. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, "?");
}
