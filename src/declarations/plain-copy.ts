import type { JsonValue } from "../contract/json.js";
import type { JsonPath } from "../log/json-path.js";
import { keyText, type Finding } from "./finding.js";
import { TomlDate } from "./toml-date.js";

/** The deepest nesting of a declaration. */
const MAX_LEVELS = 64;

/**
 * Copies what a parser or a host handed over into plain JSON: own members only, no prototype that could lie. What JSON cannot
 * carry without loss is reported and left out.
 */
export function plainCopy(value: unknown, path: JsonPath, findings: Finding[]): JsonValue {
  const report = (what: string, advice: string): null => {
    findings.push({ path, what: `${keyText(path)} ${what}`, advice });
    return null;
  };
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") {
    return value.isWellFormed() ? value : report("has half of a character", "write whole characters");
  }
  if (typeof value === "number" || typeof value === "bigint") return plainNumber(value, report);
  if (value instanceof TomlDate) {
    return report(`is a date (${value.text}), which JSON does not have`, `write it as text: "${value.text}"`);
  }
  if (typeof value !== "object")
    return report(`is a ${typeof value}, which JSON does not have`, "leave it out");
  if (path.length >= MAX_LEVELS) {
    const top = path.slice(0, 1);
    const advice = "keep schemas flatter, with $ref to $defs";
    const what = `${keyText(top)} is nested over ${MAX_LEVELS} levels`;
    if (!findings.some((finding) => finding.what === what)) findings.push({ path: top, what, advice });
    return null;
  }
  if (Array.isArray(value)) {
    return (value as readonly unknown[]).map((item, at) => plainCopy(item, [...path, at], findings));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) {
    return report("is not plain data", "write an object of plain JSON values");
  }
  const copy: Record<string, JsonValue> = {};
  for (const [key, item] of Object.entries(value)) {
    const here = [...path, key];
    if (key === "__proto__") {
      findings.push({
        path: here,
        what: `${keyText(here)} is not accepted as a key`,
        advice: "use another name",
      });
    } else copy[key] = plainCopy(item, here, findings);
  }
  return copy;
}

function plainNumber(value: number | bigint, report: (what: string, advice: string) => null): number | null {
  const number = Number(value);
  if (Number.isNaN(number)) return report("is nan, which JSON does not have", "write a number");
  if (!Number.isFinite(number))
    return report("is infinite, which JSON does not have", "write a number, or leave the bound out");
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    return report(
      `is ${String(value)}, an integer beyond 2^53-1 that would be rounded`,
      "write an integer within -9007199254740991 and 9007199254740991",
    );
  }
  return number;
}
