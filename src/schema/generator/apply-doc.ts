import { isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import { CONSTRAINTS, type ConstraintName, type Constraints, type Doc } from "./doc.js";

/** A schema with what a doc comment says: constraints on the alternatives that they narrow, the rest on the whole. */
export function applyDoc(schema: JsonObject, doc: Doc): JsonObject {
  let applied = schema;
  for (const [name, value] of entries(doc.constraints)) applied = constrain(applied, name, value);
  if (Object.keys(doc.items).length > 0) applied = constrainItems(applied, doc.items);
  return {
    ...applied,
    ...(doc.title !== undefined && { title: doc.title }),
    ...(doc.description !== undefined && { description: doc.description }),
    ...(doc.deprecated && { deprecated: true }),
    ...(doc.default !== undefined && { default: doc.default }),
    ...(doc.examples !== undefined && { examples: doc.examples }),
  };
}

function constrain(schema: JsonObject, name: ConstraintName, value: JsonValue): JsonObject {
  return onAlternatives(schema, (alternative) => {
    if (!isOpen(alternative, CONSTRAINTS[name])) return alternative;
    if (name === "integer") return { ...alternative, type: integerType(alternative["type"]) };
    if (name === "uniqueItems" && value !== true) return alternative;
    return { ...alternative, [name]: value };
  });
}

function constrainItems(schema: JsonObject, constraints: Constraints): JsonObject {
  return onAlternatives(schema, (alternative) => {
    const { items } = alternative;
    if (!isOpen(alternative, "array") || !isJsonObject(items)) return alternative;
    return { ...alternative, items: applyDoc(items, { constraints, items: {} }) };
  });
}

function onAlternatives(schema: JsonObject, change: (alternative: JsonObject) => JsonObject): JsonObject {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf)) return change(schema);
  return {
    ...schema,
    anyOf: (anyOf as readonly JsonObject[]).map((alternative) => onAlternatives(alternative, change)),
  };
}

/** Whether a schema allows values of a kind that a constraint may narrow: no literals, no tuples. */
function isOpen(schema: JsonObject, kind: string): boolean {
  const types = Array.isArray(schema["type"]) ? (schema["type"] as readonly JsonValue[]) : [schema["type"]];
  const named =
    kind === "number" ? types.includes("number") || types.includes("integer") : types.includes(kind);
  const fixed = "const" in schema || "enum" in schema || (kind === "array" && !isJsonObject(schema["items"]));
  return named && !fixed;
}

function integerType(type: JsonValue | undefined): JsonValue {
  if (Array.isArray(type)) return type.map((name) => (name === "number" ? "integer" : (name as JsonValue)));
  return type === "number" ? "integer" : (type ?? "integer");
}

function entries(constraints: Constraints): readonly [ConstraintName, JsonValue][] {
  return Object.entries(constraints) as [ConstraintName, JsonValue][];
}
