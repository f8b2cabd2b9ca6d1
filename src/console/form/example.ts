import { isJsonObject, ownValue, type JsonSchema, type JsonValue } from "../../contract/json.js";
import { planOf } from "./plan.js";
import { numberIn, resolved, textIn } from "./schema-reading.js";

const DEPTH = 6;
/** How many values an example is made of, so that a schema that refers to itself has one. */
const MOST = 500;

const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "2026-01-31T09:30:00Z",
  date: "2026-01-31",
  time: "09:30:00Z",
  email: "name@example.com",
  uri: "https://example.com/",
  uuid: "3f0f0e0a-5c1d-4c53-9a4f-3a1b0a6d7c11",
  ipv4: "192.0.2.1",
  hostname: "example.com",
};

/** A value as a schema asks for it, as far as that can be told without solving it: patterns are not looked at. */
export function exampleOf(
  schema: JsonSchema,
  root: JsonSchema = schema,
  depth = 0,
  made = { left: MOST },
): JsonValue {
  made.left -= 1;
  const read = resolved(schema, root);
  if (!isJsonObject(read)) return {};
  const examples = ownValue(read, "examples");
  const [given] = Array.isArray(examples) ? (examples as readonly JsonValue[]) : [];
  if (given !== undefined) return given;
  if (Object.hasOwn(read, "default")) return ownValue(read, "default") ?? null;
  const plan = planOf(read, root);
  if (depth > DEPTH || made.left < 0) return null;
  switch (plan.kind) {
    case "object":
      return Object.fromEntries(
        plan.members.map(({ name, schema: member }) => [name, exampleOf(member, root, depth + 1, made)]),
      );
    case "list":
      return [exampleOf(plan.item, root, depth + 1, made)];
    case "tuple":
      return plan.items.map((item) => exampleOf(item, root, depth + 1, made));
    case "choice":
      return plan.options[0] ?? null;
    case "variants": {
      const [variant] = plan.variants;
      return variant === undefined ? null : exampleOf(variant.schema, root, depth + 1, made);
    }
    case "text":
      return FORMATS[textIn(read, "format") ?? ""] ?? "text".padEnd(numberIn(read, "minLength") ?? 0, ".");
    case "number":
      return numberIn(read, "minimum") ?? (numberIn(read, "exclusiveMinimum") ?? 0) + 1;
    case "flag":
      return true;
    case "null":
      return null;
    case "raw":
      return {};
  }
}

/** What a schema says of a value besides its type, in a few words. */
export function boundsOf(schema: JsonSchema, root: JsonSchema): string {
  const read = resolved(schema, root);
  if (!isJsonObject(read)) return "";
  const said: string[] = [];
  const say = (keyword: string, words: (bound: string) => string): void => {
    const bound = ownValue(read, keyword);
    if (typeof bound === "number" || typeof bound === "string") said.push(words(String(bound)));
  };
  say("format", (format) =>
    Object.hasOwn(FORMATS, format) ? `${format}, as ${FORMATS[format] ?? ""}` : format,
  );
  say("minimum", (bound) => `at least ${bound}`);
  say("exclusiveMinimum", (bound) => `more than ${bound}`);
  say("maximum", (bound) => `at most ${bound}`);
  say("exclusiveMaximum", (bound) => `less than ${bound}`);
  say("multipleOf", (bound) => `a multiple of ${bound}`);
  say("minLength", (bound) => (bound === "1" ? "not empty" : `at least ${bound} characters`));
  say("maxLength", (bound) => `at most ${bound} characters`);
  say("pattern", (bound) => `matches ${bound}`);
  say("minItems", (bound) => `at least ${bound} items`);
  say("maxItems", (bound) => `at most ${bound} items`);
  return said.join(", ");
}
