import { isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";

const TYPES: ReadonlySet<unknown> = new Set([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
]);

const DIALECTS: ReadonlySet<unknown> = new Set([
  "http://json-schema.org/draft-07/schema#",
  "https://json-schema.org/draft/2020-12/schema",
]);

const isText = (value: JsonValue): boolean => typeof value === "string";
const isNumber = (value: JsonValue): boolean => typeof value === "number";
const isFlag = (value: JsonValue): boolean => typeof value === "boolean";
const isCount = (value: JsonValue): boolean => Number.isInteger(value) && Number(value) >= 0;
const isAnything = (): boolean => true;
const isMap = (value: JsonValue): boolean => isJsonObject(value) && Object.values(value).every(isPlainSchema);
const isChoice = (value: JsonValue): boolean =>
  Array.isArray(value) && value.length > 0 && (value as readonly JsonValue[]).every(isPlainSchema);

/** Keywords that mean the same in every dialect that is understood, and whether a value of theirs is of the right kind. */
const KINDS: ReadonlyMap<string, (value: JsonValue) => boolean> = new Map([
  ["$comment", isText],
  ["$defs", isMap],
  ["$ref", (value) => typeof value === "string" && /^#(?:\/[A-Za-z0-9_.$-]+)*$/.test(value)],
  ["$schema", (value) => DIALECTS.has(value)],
  ["additionalProperties", isPlainSchema],
  ["allOf", isChoice],
  ["anyOf", isChoice],
  ["const", isAnything],
  ["default", isAnything],
  ["definitions", isMap],
  ["description", isText],
  ["enum", isDistinct],
  ["examples", Array.isArray],
  ["exclusiveMaximum", isNumber],
  ["exclusiveMinimum", isNumber],
  ["format", isText],
  ["items", isPlainSchema],
  ["maxItems", isCount],
  ["maxLength", isCount],
  ["maxProperties", isCount],
  ["maximum", isNumber],
  ["minItems", isCount],
  ["minLength", isCount],
  ["minProperties", isCount],
  ["minimum", isNumber],
  ["multipleOf", (value) => typeof value === "number" && value > 0],
  ["not", isPlainSchema],
  ["oneOf", isChoice],
  // Whether it is one that can be run is checked later, and more strictly.
  ["pattern", isText],
  ["properties", isMap],
  ["required", (value) => isDistinct(value) && (value as readonly JsonValue[]).every(isText)],
  ["title", isText],
  [
    "type",
    (value) =>
      TYPES.has(value) ||
      (isDistinct(value) && (value as readonly JsonValue[]).every((each) => TYPES.has(each))),
  ],
  ["uniqueItems", isFlag],
]);

/**
 * Whether a schema is certainly one, by a look at what most schemas are made of: then no meta-schema has to be compiled to
 * tell, which takes longer than a program with a hundred tools may take to start. `false` says nothing.
 */
export function isPlainSchema(schema: JsonValue): boolean {
  if (typeof schema === "boolean") return true;
  if (!isJsonObject(schema)) return false;
  return Object.entries(schema).every(([keyword, value]) => KINDS.get(keyword)?.(value) === true);
}

/** A list of one or more texts, numbers and the like, each once. */
function isDistinct(value: JsonValue): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  const items = value as readonly JsonValue[];
  return new Set(items).size === items.length && items.every((item) => !isContainer(item));
}

function isContainer(value: JsonValue): value is JsonObject | readonly JsonValue[] {
  return typeof value === "object" && value !== null;
}
