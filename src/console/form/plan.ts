import {
  isJsonObject,
  ownValue,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
} from "../../contract/json.js";
import { isSchema, resolved, schemasIn, textIn, wordsIn } from "./schema-reading.js";

export interface Member {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

export interface Variant {
  readonly label: string;
  readonly schema: JsonSchema;
}

/** How a value of a schema is asked for. What cannot be drawn is `raw`: JSON, as it is. */
export type Plan =
  | { readonly kind: "object"; readonly members: readonly Member[]; readonly isOpen: boolean }
  | { readonly kind: "list"; readonly item: JsonSchema }
  | { readonly kind: "tuple"; readonly items: readonly JsonSchema[] }
  | { readonly kind: "choice"; readonly options: readonly JsonValue[] }
  | { readonly kind: "variants"; readonly variants: readonly Variant[] }
  | { readonly kind: "text"; readonly isLong: boolean }
  | { readonly kind: "number"; readonly isWhole: boolean }
  | { readonly kind: "flag" }
  | { readonly kind: "null" }
  | { readonly kind: "raw" };

const RAW: Plan = { kind: "raw" };

/** From how many characters on a text may be longer than a line. */
const LONG = 200;

/** @param root the document that references lead into. */
export function planOf(schema: JsonSchema, root: JsonSchema): Plan {
  const read = resolved(schema, root);
  if (!isJsonObject(read)) return RAW;
  const whole = merged(read, root);
  if (whole === undefined) return RAW;
  if (Object.hasOwn(whole, "const")) return { kind: "choice", options: [ownValue(whole, "const") ?? null] };
  const options = ownValue(whole, "enum");
  if (Array.isArray(options)) return { kind: "choice", options: options as readonly JsonValue[] };
  const alternatives = [...schemasIn(whole, "oneOf"), ...schemasIn(whole, "anyOf")];
  if (alternatives.length > 0) return variantsOf(whole, alternatives, root);
  const type = ownValue(whole, "type");
  if (Array.isArray(type)) {
    const schemas = wordsIn(whole, "type").map((one) => ({ ...whole, type: one }));
    return {
      kind: "variants",
      variants: schemas.map((one, at) => ({ label: labelOf(one, root, at), schema: one })),
    };
  }
  return planOfType(whole, type);
}

function planOfType(schema: JsonObject, type: JsonValue | undefined): Plan {
  switch (type) {
    case "object":
      return objectPlan(schema);
    case "array":
      return arrayPlan(schema);
    case "string":
      return { kind: "text", isLong: Number(ownValue(schema, "maxLength") ?? 0) > LONG };
    case "number":
    case "integer":
      return { kind: "number", isWhole: type === "integer" };
    case "boolean":
      return { kind: "flag" };
    case "null":
      return { kind: "null" };
    default:
      return Object.hasOwn(schema, "properties") ? objectPlan(schema) : RAW;
  }
}

function objectPlan(schema: JsonObject): Plan {
  const properties = ownValue(schema, "properties");
  const required = new Set(wordsIn(schema, "required"));
  const members = Object.entries(isJsonObject(properties) ? properties : {})
    .filter((entry): entry is [string, JsonSchema] => isSchema(entry[1]))
    .map(([name, member]) => ({ name, schema: member, required: required.has(name) }));
  for (const name of required) {
    if (!members.some((member) => member.name === name)) members.push({ name, schema: true, required: true });
  }
  return { kind: "object", members, isOpen: ownValue(schema, "additionalProperties") !== false };
}

function arrayPlan(schema: JsonObject): Plan {
  const first = schemasIn(schema, "prefixItems");
  const item = ownValue(schema, "items");
  if (first.length > 0) return item === false || item === undefined ? { kind: "tuple", items: first } : RAW;
  return { kind: "list", item: isSchema(item) ? item : true };
}

/** A schema and all that has to hold besides, as one; `undefined` where that cannot be said in one. */
function merged(schema: JsonObject, root: JsonSchema): JsonObject | undefined {
  let whole: JsonObject = schema;
  for (const part of schemasIn(schema, "allOf")) {
    const read = resolved(part, root);
    if (!isJsonObject(read)) continue;
    if (Object.keys(read).some((key) => key === "oneOf" || key === "anyOf" || key === "if")) return undefined;
    const properties = { ...objectIn(whole, "properties"), ...objectIn(read, "properties") };
    const required = [...wordsIn(whole, "required"), ...wordsIn(read, "required")];
    whole = { ...read, ...whole, properties, required };
  }
  return whole;
}

function objectIn(schema: JsonObject, keyword: string): JsonObject {
  const found = ownValue(schema, keyword);
  return isJsonObject(found) ? found : {};
}

/** What stands beside the alternatives holds for each of them. */
function variantsOf(schema: JsonObject, alternatives: readonly JsonSchema[], root: JsonSchema): Plan {
  const beside = Object.fromEntries(
    Object.entries(schema).filter(([key]) => key !== "oneOf" && key !== "anyOf"),
  );
  const isBare = Object.keys(beside).every((key) => !["properties", "required", "type"].includes(key));
  const variants = alternatives.map((alternative, at): Variant => {
    const read = resolved(alternative, root);
    if (isBare || !isJsonObject(read)) return { label: labelOf(read, root, at), schema: read };
    const properties = { ...objectIn(beside, "properties"), ...objectIn(read, "properties") };
    const required = [...wordsIn(beside, "required"), ...wordsIn(read, "required")];
    return { label: labelOf(read, root, at), schema: { ...beside, ...read, properties, required } };
  });
  return { kind: "variants", variants };
}

/** What an alternative is called: by its title, by the constant that tells it from the others, or by its type. */
function labelOf(schema: JsonSchema, root: JsonSchema, at: number): string {
  const title = textIn(schema, "title");
  if (title !== undefined) return title;
  if (!isJsonObject(schema)) return `variant ${at + 1}`;
  if (Object.hasOwn(schema, "const")) return JSON.stringify(ownValue(schema, "const"));
  for (const [name, member] of Object.entries(objectIn(schema, "properties"))) {
    const read = isSchema(member) ? resolved(member, root) : true;
    if (isJsonObject(read) && Object.hasOwn(read, "const"))
      return `${name} ${JSON.stringify(ownValue(read, "const"))}`;
  }
  const required = wordsIn(schema, "required");
  if (required.length > 0) return required.join(", ");
  const type = textIn(schema, "type");
  return type === undefined ? `variant ${at + 1}` : (TYPE_WORDS[type] ?? type);
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "number",
  integer: "whole number",
  boolean: "yes or no",
  null: "nothing (null)",
  array: "list",
  object: "object",
};
