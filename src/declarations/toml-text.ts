import { isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";

/** JSON as TOML 1.0, which has no null: then `undefined`. What comes back when it is read is the same JSON. */
export function tomlTable(name: string, value: JsonObject): string | undefined {
  return holdsNull(value) ? undefined : `${tableLines([name], value, "table").join("\n")}\n`;
}

/** One key with its value, `name = "refund_card"`, in one line unless it is a long list. */
export function tomlLine(key: string, value: JsonValue): string {
  return `${tomlKey(key)} = ${tomlValue(value)}`;
}

function holdsNull(value: JsonValue): boolean {
  if (value === null) return true;
  return typeof value === "object" && Object.values(value).some(holdsNull);
}

/** Values before tables, since everything behind a header belongs to it. */
function tableLines(path: readonly string[], table: JsonObject, kind: "table" | "element"): string[] {
  const entries = Object.entries(table);
  const values = entries.filter(([, value]) => !isTable(value) && !isTables(value));
  const name = path.map(tomlKey).join(".");
  const lines: string[] = [];
  if (kind === "element") lines.push("", `[[${name}]]`);
  // A table of nothing but tables goes without saying.
  else if (values.length > 0 || entries.length === 0) lines.push("", `[${name}]`);
  for (const [key, value] of values) lines.push(tomlLine(key, value));
  for (const [key, value] of entries) {
    if (isTable(value)) lines.push(...tableLines([...path, key], value, "table"));
    if (isTables(value)) lines.push(...value.flatMap((each) => tableLines([...path, key], each, "element")));
  }
  return path.length === 1 && lines[0] === "" ? lines.slice(1) : lines;
}

function isTable(value: JsonValue): value is JsonObject {
  return isJsonObject(value);
}

function isTables(value: JsonValue): value is readonly JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isTable);
}

function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : basicString(key);
}

const LINE = 100;

function tomlValue(value: JsonValue, broken = true): string {
  if (typeof value === "string") return tomlString(value);
  if (Array.isArray(value)) {
    const items = (value as readonly JsonValue[]).map((item) => tomlValue(item, false));
    const line = `[${items.join(", ")}]`;
    return broken && line.length > LINE ? `[\n${items.map((item) => `  ${item},\n`).join("")}]` : line;
  }
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${tomlKey(key)} = ${tomlValue(member, false)}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** Patterns are easiest to read where a backslash is a backslash. */
function tomlString(text: string): string {
  return text.includes("\\") && !text.includes("'") && !UNSAFE.test(text) ? `'${text}'` : basicString(text);
}

// Beside what TOML forbids: what would reorder or hide the text that an operator reads before trusting it.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function basicString(text: string): string {
  return JSON.stringify(text).replace(new RegExp(UNSAFE, "gu"), escaped);
}

function escaped(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return point <= 0xffff
    ? `\\u${point.toString(16).padStart(4, "0")}`
    : `\\U${point.toString(16).padStart(8, "0")}`;
}
