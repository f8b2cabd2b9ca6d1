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

/**
 * How deep schemas lie in one another at most: there are two levels of JSON in each, and one in the last. And how many schemas and
 * other values there are. Both are well within every limit on schemas, and make an end of what has none, such as a cycle.
 */
const MAX_DEPTH = 30;
const MAX_VALUES = 5000;

/** How much more may be seen of a schema. */
interface Look {
  depth: number;
  values: number;
}
type Kind = (value: unknown, look: Look) => boolean;
type Members = Readonly<Record<string, unknown>>;

const isText: Kind = (value) => typeof value === "string";
const isNumber: Kind = (value) => Number.isFinite(value);
const isFlag: Kind = (value) => typeof value === "boolean";
const isCount: Kind = (value) => Number.isInteger(value) && Number(value) >= 0;
const isMap: Kind = (value, look) => isMembers(value) && everyMember(value, look, isPlain);
const isChoice: Kind = (value, look) => isListOf(value, look, isPlain) && value.length > 0;
const isList: Kind = (value, look) => isListOf(value, look, isJson);
const isNames: Kind = (value, look) => isDistinct(value, look, isText);
const isType: Kind = (value) => TYPES.has(value);

/** Keywords that mean the same in every dialect that is understood, and whether a value of theirs is of the right kind. */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["$comment", isText],
  ["$defs", isMap],
  ["$ref", (value) => typeof value === "string" && /^#(?:\/[A-Za-z0-9_.$-]+)*$/.test(value)],
  ["$schema", (value) => DIALECTS.has(value)],
  ["additionalProperties", isPlain],
  ["allOf", isChoice],
  ["anyOf", isChoice],
  ["const", isJson],
  ["default", isJson],
  ["definitions", isMap],
  ["description", isText],
  ["enum", (value, look) => isDistinct(value, look, isSimple)],
  ["examples", isList],
  ["exclusiveMaximum", isNumber],
  ["exclusiveMinimum", isNumber],
  ["format", isText],
  ["items", isPlain],
  ["maxItems", isCount],
  ["maxLength", isCount],
  ["maxProperties", isCount],
  ["maximum", isNumber],
  ["minItems", isCount],
  ["minLength", isCount],
  ["minProperties", isCount],
  ["minimum", isNumber],
  ["multipleOf", (value, look) => isNumber(value, look) && Number(value) > 0],
  ["not", isPlain],
  ["oneOf", isChoice],
  // Whether it is one that can be run is checked later, and more strictly.
  ["pattern", isText],
  ["properties", isMap],
  ["required", isNames],
  ["title", isText],
  ["type", (value, look) => isType(value, look) || isDistinct(value, look, isType)],
  ["uniqueItems", isFlag],
]);

/**
 * Whether a value is certainly a schema, in plain JSON data and small, by a look at what most schemas are made of: then neither has
 * a meta-schema to be compiled to tell, nor the limits to be measured, which takes longer than a program with a hundred tools may
 * take to start. `false` says nothing.
 */
export function isPlainSchema(schema: unknown): boolean {
  return isPlain(schema, { depth: MAX_DEPTH, values: MAX_VALUES });
}

function isPlain(schema: unknown, look: Look): boolean {
  if (typeof schema === "boolean") return true;
  if (!isMembers(schema) || !isWithin(look)) return false;
  look.depth -= 1;
  for (const keyword in schema) if (KINDS.get(keyword)?.(schema[keyword], look) !== true) return false;
  look.depth += 1;
  return true;
}

function isJson(value: unknown, look: Look): boolean {
  if (isSimple(value, look)) return true;
  if (!isWithin(look)) return false;
  look.depth -= 1;
  const isPlainJson = isMembers(value) ? everyMember(value, look, isJson) : isListOf(value, look, isJson);
  look.depth += 1;
  return isPlainJson;
}

/** A text, a number and the like, none of which holds another value. */
function isSimple(value: unknown, look: Look): boolean {
  return value === null || isText(value, look) || isFlag(value, look) || isNumber(value, look);
}

/** A list of one or more simple values, each once. */
function isDistinct(value: unknown, look: Look, kind: Kind): boolean {
  return isListOf(value, look, kind) && value.length > 0 && new Set(value).size === value.length;
}

function isListOf(value: unknown, look: Look, kind: Kind): value is readonly unknown[] {
  if (!Array.isArray(value)) return false;
  // A loop sees the holes, too, which are no JSON.
  for (const item of value as readonly unknown[]) {
    look.values -= 1;
    if (look.values < 0 || !kind(item, look)) return false;
  }
  return true;
}

function everyMember(members: Members, look: Look, kind: Kind): boolean {
  for (const key in members) {
    look.values -= 1;
    if (look.values < 0 || key === "__proto__" || !kind(members[key], look)) return false;
  }
  return true;
}

function isWithin(look: Look): boolean {
  return look.depth > 0 && look.values > 0;
}

/** An object whose members are all that JSON says of it. */
function isMembers(value: unknown): value is Members {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
