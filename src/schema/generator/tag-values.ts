import type { JsonValue } from "../../contract/json.js";
import { parseJson } from "../../log/parse-json.js";
import { didYouMean } from "../did-you-mean.js";
import { PatternError } from "../ecma-pattern.js";
import { linearPattern } from "../linear-pattern.js";
import { loadEngine } from "../load-engine.js";
import type { ConstraintName } from "./doc.js";

/** What a tag's text was read as, or why it cannot be, and what to write instead. */
export type TagValue = { readonly value: JsonValue } | { readonly wrong: string; readonly hint: string };

const STRING_FORMATS = Object.entries(loadEngine("formatTable").fullFormats)
  .filter(([, format]) => !(typeof format === "object" && "type" in format && format.type === "number"))
  .map(([name]) => name);

/** Reads the text of a constraint's tag. */
export function readConstraint(name: ConstraintName, text: string): TagValue {
  switch (name) {
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return readNumber(name, text, () => true, "a number");
    case "multipleOf":
      return readNumber(name, text, (number) => number > 0, "a number above 0");
    case "minLength":
    case "maxLength":
    case "minItems":
    case "maxItems":
      return readNumber(
        name,
        text,
        (number) => Number.isSafeInteger(number) && number >= 0,
        "a whole number",
      );
    case "integer":
    case "uniqueItems":
      return readFlag(name, text);
    case "pattern":
      return readPattern(text);
    case "format":
      return readFormat(text);
  }
}

/** Reads the text of a tag whose value is JSON: `@default`, `@examples`. */
export function readJson(name: string, text: string): TagValue {
  try {
    return { value: parseJson(text) };
  } catch {
    const code = /^\s*require\s*\(/.test(text);
    return {
      wrong: code
        ? `@${name} would have to run code to know its value, and a doc comment never runs code`
        : `the value of @${name} is not JSON: ${quote(text)}`,
      hint: `write the value itself as JSON, such as @${name} ${name === "examples" ? '["a", "b"]' : '"a"'}`,
    };
  }
}

/** Reads a text that may be written as it is, or as a JSON string. */
export function readText(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    const value = parseJson(text);
    return typeof value === "string" ? value : text;
  } catch {
    return text;
  }
}

function readNumber(name: string, text: string, fits: (number: number) => boolean, kind: string): TagValue {
  const value = /^-?\d/.test(text) ? readJson(name, text) : { wrong: "", hint: "" };
  if ("value" in value && typeof value.value === "number" && fits(value.value)) return value;
  return {
    wrong: `the value of @${name} must be ${kind} and nothing else, not ${quote(text)}`,
    hint: `@${name} 1; put explanations into the text above the tags`,
  };
}

function readFlag(name: string, text: string): TagValue {
  if (text === "" || text === "true") return { value: true };
  return { wrong: `@${name} takes no value, but ${quote(text)} follows it`, hint: `@${name}` };
}

function readPattern(text: string): TagValue {
  const pattern = readText(text);
  const hint = 'an ECMAScript pattern, such as @pattern ^[A-Z]{3}$ or @pattern "^[A-Z]{3}$"';
  if (pattern === "") return { wrong: "@pattern has no value", hint };
  try {
    new RegExp(pattern, "u");
    linearPattern(pattern);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof PatternError)) throw error;
    return { wrong: `@pattern: ${error.message}`, hint };
  }
  return { value: pattern };
}

function readFormat(text: string): TagValue {
  const format = readText(text);
  if (STRING_FORMATS.includes(format)) return { value: format };
  const meant = didYouMean(format, STRING_FORMATS);
  return {
    wrong: `@format ${quote(format)} is not a known format${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    hint: `one of ${STRING_FORMATS.join(", ")}`,
  };
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}
