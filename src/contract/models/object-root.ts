import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../json.js";
import { followed } from "./local-reference.js";
import type { Loss } from "./model-tool.js";

/** Keywords that APIs for models refuse at the top of a tool's schema. */
const REFUSED = ["oneOf", "anyOf", "allOf", "enum", "not"] as const;

/**
 * A schema whose top is a plain object. A union there becomes one object with the members of all alternatives, which allows
 * more than the union does.
 */
export function objectRoot(schema: JsonObject, losses: Loss[]): JsonObject {
  const top = followed(schema, schema);
  let root: JsonObject = { ...without(isJsonObject(top) ? top : schema, "$ref"), type: "object" };
  for (const keyword of REFUSED) {
    const value = ownValue(root, keyword);
    if (value === undefined) continue;
    const rest = without(root, keyword);
    const alternatives = keyword === "oneOf" || keyword === "anyOf" ? objectsIn(schema, value) : undefined;
    root = alternatives === undefined ? rest : { ...rest, ...merged(rest, alternatives) };
    const message =
      alternatives === undefined
        ? `takes no ${keyword} at the top of a schema, so the model is not told`
        : `takes no ${keyword} at the top of a schema, so the model is shown one object with the members of all alternatives`;
    losses.push({ path: "$", keyword, message: `the API ${message}` });
  }
  return root;
}

function objectsIn(root: JsonObject, value: JsonValue): readonly JsonObject[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const alternatives = (value as readonly JsonValue[]).map((each) => followed(root, each));
  const plain = alternatives.every(
    (each): each is JsonObject =>
      isJsonObject(each) && !REFUSED.some((keyword) => Object.hasOwn(each, keyword)),
  );
  return plain ? alternatives : undefined;
}

function merged(own: JsonObject, alternatives: readonly JsonObject[]): JsonObject {
  const all = [own, ...alternatives].map(propertiesOf);
  const names = [...new Set(all.flatMap((properties) => Object.keys(properties)))];
  const properties = names.map((name) => {
    const schemas = all.flatMap((each) => ownValue(each, name) ?? []);
    const texts = new Map(schemas.map((each) => [JSON.stringify(each), each]));
    const [only] = texts.values();
    return [name, texts.size === 1 ? (only ?? {}) : { anyOf: [...texts.values()] }] as const;
  });
  // Under an open alternative a member may be anything, unless something else says what it is.
  const isTold = (name: string): boolean =>
    Object.hasOwn(propertiesOf(own), name) ||
    alternatives.every((each) => Object.hasOwn(propertiesOf(each), name));
  const closed = alternatives.every((each) => ownValue(each, "additionalProperties") === false);
  const shared = requiredOf(alternatives[0]).filter((name) =>
    alternatives.every((each) => requiredOf(each).includes(name)),
  );
  const required = [...new Set([...requiredOf(own), ...shared])];
  return {
    ...(names.length > 0 && {
      properties: Object.fromEntries(closed ? properties : properties.filter(([name]) => isTold(name))),
    }),
    ...(required.length > 0 && { required }),
    ...(closed && { additionalProperties: false }),
  };
}

function propertiesOf(schema: JsonObject): JsonObject {
  const properties = ownValue(schema, "properties");
  return isJsonObject(properties) ? properties : {};
}

/** The names that an object has to have. */
export function requiredOf(schema: JsonObject | undefined): readonly string[] {
  const required = schema === undefined ? undefined : ownValue(schema, "required");
  if (!Array.isArray(required)) return [];
  return (required as readonly JsonValue[]).filter((name) => typeof name === "string");
}

/** An object without one of its members. */
export function without(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}
