import type { ErrorObject } from "ajv";
import { isJsonObject, ownValue, type JsonValue } from "../contract/json.js";
import { brief, briefList } from "./brief.js";
import { firstDuplicate } from "./exact-keywords.js";

type Params = Readonly<Record<string, JsonValue>>;
type Describe = (params: Params, schema: JsonValue, data: JsonValue) => string;

const LIMITS: Readonly<Record<string, string>> = {
  "<=": "at most",
  ">=": "at least",
  "<": "less than",
  ">": "more than",
};

const number: Describe = (params, _schema, data) =>
  expected(`${LIMITS[params["comparison"] as string] ?? ""} ${brief(params["limit"])}`, data);

const amount =
  (bound: string, unit: string, size: (data: JsonValue) => number): Describe =>
  (params, _schema, data) =>
    `expected ${bound} ${brief(params["limit"])} ${unit}, found ${size(data)}${typeof data === "string" && data.length <= 80 ? `: ${brief(data)}` : ""}`;

const characters = (data: JsonValue) => {
  let count = 0;
  for (const unit of data as string) count += unit.length > 0 ? 1 : 0;
  return count;
};
const items = (data: JsonValue) => (data as readonly JsonValue[]).length;
const members = (data: JsonValue) => Object.keys(data as object).length;

const TEXTS: Readonly<Record<string, Describe>> = {
  type: (params, _schema, data) => expected(typeNames(params["type"]), data),
  const: (_params, schema, data) => expected(brief(schema), data),
  enum: (_params, schema, data) =>
    expected(
      `${(schema as readonly JsonValue[]).length === 1 ? "" : "one of "}${briefList(schema as readonly JsonValue[])}`,
      data,
    ),
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: (params, _schema, data) => expected(`a multiple of ${brief(params["multipleOf"])}`, data),
  minLength: amount("at least", "characters", characters),
  maxLength: amount("at most", "characters", characters),
  minItems: amount("at least", "items", items),
  maxItems: amount("at most", "items", items),
  minProperties: amount("at least", "members", members),
  maxProperties: amount("at most", "members", members),
  pattern: (params, _schema, data) =>
    expected(`text that matches the pattern ${brief(params["pattern"])}`, data),
  format: (params, _schema, data) => expected(`text in the format ${brief(params["format"])}`, data),
  required: (params, _schema, data) => expected(`a member ${brief(params["missingProperty"])}`, data),
  dependentRequired: (params, _schema, data) => missingBeside(params, data),
  dependencies: (params, _schema, data) => missingBeside(params, data),
  additionalProperties: () => "expected no such member, found one",
  unevaluatedProperties: () => "expected no such member, found one",
  additionalItems: (params, _schema, data) => expected(`at most ${brief(params["limit"])} items`, data),
  items: (params, _schema, data) => expected(`at most ${brief(params["limit"])} items`, data),
  unevaluatedItems: (params, _schema, data) => expected(`at most ${brief(params["len"])} items`, data),
  propertyNames: (params) => `expected another name than ${brief(params["propertyName"])}`,
  contains: (params, _schema, data) =>
    expected(
      `${params["maxContains"] === undefined ? "at least" : "between"} ${brief(params["minContains"])}${params["maxContains"] === undefined ? "" : ` and ${brief(params["maxContains"])}`} items of the kind that the schema names`,
      data,
    ),
  uniqueItems: (_params, _schema, data) => {
    const [first, second] = firstDuplicate(data as readonly JsonValue[]) ?? [0, 0];
    return `expected items that all differ, found items ${first} and ${second} equal`;
  },
  anyOf: (_params, schema, data) => expected(`a value that fits one of ${items(schema)} alternatives`, data),
  oneOf: (params, schema, data) =>
    onlyRequired(schema) ??
    (Array.isArray(params["passingSchemas"])
      ? `expected a value that fits exactly one of ${items(schema)} alternatives, found one that fits alternatives ${params["passingSchemas"].join(" and ")}`
      : expected(`a value that fits exactly one of ${items(schema)} alternatives`, data)),
  not: (_params, _schema, data) => expected("a value that the schema does not exclude", data),
  if: (params, _schema, data) => expected(`a value that fits ${brief(params["failingKeyword"])}`, data),
  "false schema": (_params, _schema, data) => expected("nothing here", data),
  discriminator: (params, _schema, data) =>
    `expected ${brief(params["tag"])} to name one of the alternatives, found ${brief(params["tagValue"])} in ${brief(data)}`,
};

/** Alternatives that differ only in the member that each requires are better said as those members. */
function onlyRequired(alternatives: JsonValue): string | undefined {
  const names = (alternatives as readonly JsonValue[]).map((alternative) =>
    isJsonObject(alternative) && Object.keys(alternative).length === 1
      ? ownValue(alternative, "required")
      : undefined,
  );
  const single = names.flatMap((required) =>
    Array.isArray(required) && required.length === 1 ? (required as string[]) : [],
  );
  return single.length === names.length
    ? `expected exactly one of the members ${single.map(brief).join(", ")}`
    : undefined;
}

/** What an error expected and what it found, as a phrase. */
export function expectation(error: ErrorObject): string {
  const describe = Object.hasOwn(TEXTS, error.keyword) ? TEXTS[error.keyword] : undefined;
  const data = error.data as JsonValue;
  return describe === undefined
    ? `${error.message ?? error.keyword}, found ${brief(data)}`
    : describe(error.params as Params, error.schema as JsonValue, data);
}

function expected(what: string, found: JsonValue | undefined): string {
  return `expected ${what}, found ${brief(found)}`;
}

function missingBeside(params: Params, data: JsonValue): string {
  return expected(`a member ${brief(params["missingProperty"])} beside ${brief(params["property"])}`, data);
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  integer: "an integer",
  null: "null",
  number: "a number",
  object: "an object",
  string: "text",
};

function typeNames(types: JsonValue | undefined): string {
  const names = Array.isArray(types) ? (types as readonly string[]) : (types as string).split(",");
  return names.map((name) => TYPE_NAMES[name] ?? name).join(" or ");
}
