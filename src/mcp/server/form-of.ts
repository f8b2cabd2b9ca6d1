import {
  isJsonObject,
  ownValue,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
} from "../../contract/json.js";

/** A schema that an MCP client can show a person as a form, and what it takes to make an answer of what they fill in. */
export interface Form {
  readonly requestedSchema: {
    readonly type: "object";
    readonly properties: Readonly<Record<string, JsonObject>>;
    readonly required?: string[];
  };
  answerOf(content: JsonValue): JsonValue;
}

/** What a form can say about a field; our own validator judges the rest of its schema once the form is filled in. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ["title", "description", "default", "minLength", "maxLength", "format", "enum"],
  number: ["title", "description", "default", "minimum", "maximum"],
  integer: ["title", "description", "default", "minimum", "maximum"],
  boolean: ["title", "description", "default"],
};

const FORMATS: ReadonlySet<JsonValue> = new Set(["email", "uri", "date", "date-time"]);

/**
 * A suspension's schema as a form (Model Context Protocol 2025-06-18, "Elicitation"): an object of plain fields as it is, a
 * single plain value as an object with one field.
 *
 * @returns `undefined` when a form cannot ask for it.
 */
export function formOf(schema: JsonSchema): Form | undefined {
  if (!isJsonObject(schema)) return undefined;
  const single = fieldOf(schema);
  if (single !== undefined) {
    return {
      requestedSchema: { type: "object", properties: { answer: single }, required: ["answer"] },
      answerOf: (content) => (isJsonObject(content) ? (ownValue(content, "answer") ?? null) : null),
    };
  }
  const properties = ownValue(schema, "properties");
  if (ownValue(schema, "type") !== "object" || !isJsonObject(properties)) return undefined;
  const fields = Object.entries(properties).map(([name, each]) => [name, fieldOf(each)] as const);
  if (fields.length === 0 || fields.some(([, field]) => field === undefined)) return undefined;
  const required = ownValue(schema, "required");
  return {
    requestedSchema: {
      type: "object",
      properties: Object.fromEntries(fields) as Record<string, JsonObject>,
      ...(Array.isArray(required) && {
        required: required.filter((name): name is string => typeof name === "string"),
      }),
    },
    answerOf: (content) => content,
  };
}

function fieldOf(schema: JsonValue): JsonObject | undefined {
  if (!isJsonObject(schema)) return undefined;
  const named = ownValue(schema, "type");
  const values = ownValue(schema, "enum");
  const isChoice =
    Array.isArray(values) && values.length > 0 && values.every((each) => typeof each === "string");
  if (values !== undefined && !isChoice) return undefined;
  const type = named ?? (isChoice ? "string" : undefined);
  const keywords = typeof type === "string" && Object.hasOwn(KEYWORDS, type) ? KEYWORDS[type] : undefined;
  if (keywords === undefined) return undefined;
  const kept = keywords.flatMap((keyword) => {
    const value = ownValue(schema, keyword);
    const isShown = value !== undefined && (keyword !== "format" || FORMATS.has(value));
    return isShown ? [[keyword, value] as const] : [];
  });
  return { type: type as JsonValue, ...Object.fromEntries(kept) };
}
