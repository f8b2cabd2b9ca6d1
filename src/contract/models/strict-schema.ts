import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../json.js";
import { pathText, type JsonPath } from "../json-path.js";
import type { Loss } from "./model-tool.js";
import { admitsNull } from "./admits-null.js";
import { requiredOf } from "./object-root.js";

/** A schema in the subset that strict mode takes, or why there is none. */
export interface StrictSchema {
  readonly schema: JsonObject;
  readonly losses: readonly Loss[];
  /** When there is one, the schema cannot be used. */
  readonly obstacles: readonly Loss[];
}

/** Keywords that strict mode takes as they are (OpenAI, "Structured Outputs", "Supported schemas"). */
const KEPT: ReadonlySet<string> = new Set([
  "$ref",
  "description",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "maximum",
  "maxItems",
  "minimum",
  "minItems",
  "multipleOf",
  "pattern",
  "title",
  "type",
]);

const FORMATS: ReadonlySet<JsonValue> = new Set(
  "date date-time duration email hostname ipv4 ipv6 time uuid".split(" "),
);

/**
 * Properties in all, objects in objects, values of enums in all, characters of all names and values, and those of the values of
 * one enum that has more than `manyValues`.
 */
const LIMITS = {
  properties: 5_000,
  depth: 10,
  values: 1_000,
  text: 120_000,
  manyValues: 250,
  enumText: 15_000,
};

/** What looks around, or back at a group, in a pattern; an escaped character before it is passed over. */
const LOOKS = /^(?:[^\\]|\\[^1-9k])*?(?:\(\?<?[=!]|\\[1-9]|\\k<)/s;

/**
 * @param root a schema whose top is an object without a union.
 */
export function strictSchema(root: JsonObject): StrictSchema {
  const writer = new StrictWriter(root);
  return { schema: writer.write(root, [], 0), losses: writer.losses, obstacles: writer.obstacles };
}

class StrictWriter {
  readonly losses: Loss[] = [];
  readonly obstacles: Loss[] = [];
  #properties = 0;
  #values = 0;
  #text = 0;

  constructor(private readonly root: JsonObject) {}

  write(schema: JsonValue, path: JsonPath, depth: number): JsonObject {
    if (!isJsonObject(schema)) return this.#impossible(path, "", "a schema of true or false says no type");
    if (
      !["type", "enum", "const", "$ref", "anyOf", "oneOf"].some((keyword) => Object.hasOwn(schema, keyword))
    )
      this.#impossible(path, "type", "strict mode needs a type");
    const written: [string, JsonValue][] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      const kept = this.#keyword(keyword, value, path, depth);
      if (kept !== undefined) written.push(kept);
    }
    const types = typesOf(schema);
    if (types.includes("array") && !isJsonObject(ownValue(schema, "items")))
      this.#impossible(path, "items", "strict mode needs one schema for all items");
    if (types.includes("object")) written.push(...this.#object(schema, path, depth));
    return settled(Object.fromEntries(written));
  }

  #keyword(
    keyword: string,
    value: JsonValue,
    path: JsonPath,
    depth: number,
  ): [string, JsonValue] | undefined {
    const at = [...path, keyword];
    if (keyword === "enum" && Array.isArray(value)) this.#enum(value as readonly JsonValue[], path);
    if (keyword === "pattern" && typeof value === "string" && LOOKS.test(value)) {
      this.#lose(
        path,
        keyword,
        "strict mode runs no pattern that looks around or back, so the model is not told",
      );
      return undefined;
    }
    if (KEPT.has(keyword)) return [keyword, value];
    switch (keyword) {
      case "$schema":
      case "properties":
      case "required":
      case "additionalProperties":
        return undefined;
      case "const":
        this.#enum([value], path);
        return ["enum", [value]];
      case "format":
        if (FORMATS.has(value)) return [keyword, value];
        break;
      case "items":
        return isJsonObject(value) ? [keyword, this.write(value, at, depth)] : undefined;
      case "patternProperties":
        this.#impossible(path, keyword, "strict mode has no members without a name");
        return undefined;
      case "anyOf":
      case "oneOf": {
        if (!Array.isArray(value)) return undefined;
        if (keyword === "oneOf")
          this.#lose(path, keyword, "strict mode has anyOf only, so more than one may match");
        const members = value as readonly JsonValue[];
        return ["anyOf", members.map((each, index) => this.write(each, [...at, index], depth))];
      }
      case "definitions":
      case "$defs":
        if (isJsonObject(value)) return [keyword, this.#each(value, at, depth)];
    }
    this.#lose(path, keyword, `strict mode has no ${keyword}, so the model is not told`);
    return undefined;
  }

  #object(schema: JsonObject, path: JsonPath, depth: number): readonly [string, JsonValue][] {
    const open = ownValue(schema, "additionalProperties") ?? true;
    if (isJsonObject(open))
      this.#impossible(path, "additionalProperties", "strict mode has no members without a name");
    else if (open === true)
      this.#lose(
        path,
        "additionalProperties",
        "strict mode has only members with a name, so the model gives no others",
      );
    const properties = ownValue(schema, "properties");
    const required = requiredOf(schema);
    const members = isJsonObject(properties) ? Object.entries(properties) : [];
    this.#count("properties", members.length, path);
    this.#addText(
      members.map(([name]) => name),
      path,
    );
    if (depth >= LIMITS.depth) this.#impossible(path, "properties", `strict mode nests ${LIMITS.depth} deep`);
    for (const name of required.filter((each) => !members.some(([member]) => member === each)))
      this.#impossible(path, "required", `${name} is required, and strict mode needs a schema for it`);
    const written = members.map(([name, member]): [string, JsonValue] => {
      const at = [...path, "properties", name];
      const strict = this.write(member, at, depth + 1);
      if (required.includes(name)) return [name, strict];
      const nullToo = admitsNull(this.root, member);
      const more = nullToo ? "; here null is a value of its own, so leaving it out cannot be told" : "";
      this.#lose(
        at,
        "required",
        `strict mode has no optional member: the model gives null to leave it out${more}`,
      );
      return [name, nullToo ? strict : { anyOf: [strict, { type: "null" }] }];
    });
    return [
      ["properties", Object.fromEntries(written)],
      ["required", members.map(([name]) => name)],
      ["additionalProperties", false],
    ];
  }

  #each(schemas: JsonObject, path: JsonPath, depth: number): JsonObject {
    this.#addText(Object.keys(schemas), path);
    return Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, this.write(schema, [...path, name], depth)]),
    );
  }

  #enum(values: readonly JsonValue[], path: JsonPath): void {
    this.#count("values", values.length, path);
    const length = this.#addText(values, path);
    if (values.length > LIMITS.manyValues && length > LIMITS.enumText) {
      const problem = `strict mode takes ${LIMITS.enumText} characters in an enum of more than ${LIMITS.manyValues} values`;
      this.#impossible(path, "enum", problem);
    }
  }

  #addText(texts: readonly JsonValue[], path: JsonPath): number {
    const length = texts.reduce<number>(
      (sum, each) => sum + (typeof each === "string" ? each : JSON.stringify(each)).length,
      0,
    );
    const before = this.#text;
    this.#text += length;
    if (this.#text > LIMITS.text && before <= LIMITS.text)
      this.#impossible(path, "", `strict mode takes ${LIMITS.text} characters of names and values in all`);
    return length;
  }

  #count(what: "properties" | "values", more: number, path: JsonPath): void {
    const count = what === "properties" ? (this.#properties += more) : (this.#values += more);
    const name = what === "properties" ? "properties" : "values of enums";
    if (count > LIMITS[what] && count - more <= LIMITS[what])
      this.#impossible(
        path,
        what === "properties" ? what : "enum",
        `strict mode takes ${LIMITS[what]} ${name} in all`,
      );
  }

  #lose(path: JsonPath, keyword: string, message: string): void {
    this.losses.push({ path: pathText(path), keyword, message });
  }

  #impossible(path: JsonPath, keyword: string, message: string): JsonObject {
    this.obstacles.push({ path: pathText(path), keyword, message });
    return {};
  }
}

/** What strict mode wants said in its own way: a type beside an enum, and nothing beside a reference. */
function settled(schema: JsonObject): JsonObject {
  const { enum: values, $ref: reference, ...beside } = schema;
  if (reference !== undefined && Object.keys(beside).length + (values === undefined ? 0 : 1) > 0)
    return { ...beside, ...(values !== undefined && { enum: values }), anyOf: [{ $ref: reference }] };
  if (!Array.isArray(values) || Object.hasOwn(schema, "type")) return schema;
  const types = [...new Set((values as readonly JsonValue[]).map(typeOf))];
  return { ...schema, type: types.length === 1 ? (types[0] ?? "null") : types };
}

function typeOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

function typesOf(schema: JsonObject): readonly JsonValue[] {
  const type = ownValue(schema, "type");
  if (type === undefined) return Object.hasOwn(schema, "properties") ? ["object"] : [];
  return Array.isArray(type) ? (type as readonly JsonValue[]) : [type];
}
