import type { JsonValue } from "../contract/json.js";

const MAX = 80;

/** A value in at most about 80 characters, for a message: small things as they are, large things by what they are made of. */
export function brief(value: JsonValue | undefined): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return briefText(value);
  if (value === null || typeof value !== "object") return String(value);
  if (Array.isArray(value)) {
    return value.length === 1 ? "an array of 1 item" : `an array of ${value.length} items`;
  }
  const keys = Object.keys(value);
  return keys.length === 0 ? "an empty object" : `an object with ${briefList(keys)}`;
}

/** A list of values in at most about 80 characters; what does not fit is counted. */
export function briefList(values: readonly JsonValue[]): string {
  let text = "";
  for (const [at, value] of values.entries()) {
    const next = (at === 0 ? "" : ", ") + brief(value);
    if (text.length + next.length > MAX && at > 0) return `${text} and ${values.length - at} more`;
    text += next;
  }
  return text;
}

function briefText(text: string): string {
  if (text.length <= MAX) return JSON.stringify(text);
  const head = text.slice(0, MAX - 20).replace(/[\uD800-\uDBFF]$/, "");
  return `${JSON.stringify(head)}… (${text.length} characters)`;
}
