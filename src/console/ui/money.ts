import type { JsonValue } from "../../contract/json.js";
import { lineJson } from "./json-text.js";

/** Whether a member is called so that its numbers are hundredths of money. */
export function isCentsName(name: string | number | undefined): boolean {
  return typeof name === "string" && /cents$/i.test(name);
}

/** What a member says as money, where it counts cents. */
export function moneyOf(name: string | number | undefined, value: JsonValue | undefined): string | undefined {
  return isCentsName(name) && typeof value === "number" && Number.isInteger(value)
    ? centsText(value)
    : undefined;
}

/** A member of a value on a line, with what it says as money. */
export function factText(name: string, value: JsonValue): string {
  const text = typeof value === "string" ? value : lineJson(value);
  const money = moneyOf(name, value);
  return money === undefined ? text : `${text} (${money})`;
}

/** Hundredths as people read money: 125000 is 1,250.00. */
export function centsText(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, "0");
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${cents < 0 ? "-" : ""}${whole}.${digits.slice(-2)}`;
}
