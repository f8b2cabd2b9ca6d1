import { isJsonObject, type JsonValue } from "../../contract/json.js";
import { lineJson } from "../ui/json-text.js";

export interface Fact {
  readonly name: string;
  readonly text: string;
}

const AMOUNT =
  /amount|cents|price|total|sum|fee|quantity|currency|value|balance|iban|account|merchant|customer|order/i;

/** How many are shown, so that the ones that matter are read. */
const MOST = 10;

/**
 * The members of an input that say how much goes where: those that are called so, and those that the operator has pinned or
 * made part of the call's identity.
 */
export function amountLike(input: JsonValue, named: readonly string[]): readonly Fact[] {
  if (!isJsonObject(input)) return [{ name: "input", text: lineJson(input) }];
  const facts = Object.entries(input)
    .filter(([name, value]) => named.includes(name) || AMOUNT.test(name) || typeof value === "number")
    .map(([name, value]) => ({ name, text: factText(name, value) }));
  return facts.slice(0, MOST);
}

/** The amounts of money among the members of an input, as people read them. */
export function moneyIn(input: JsonValue): readonly Fact[] {
  if (!isJsonObject(input)) return [];
  return Object.entries(input).flatMap(([name, value]) =>
    isCents(name, value) ? [{ name: name.replace(/_?cents$/i, ""), text: centsText(value) }] : [],
  );
}

function isCents(name: string, value: JsonValue): value is number {
  return /cents$/i.test(name) && typeof value === "number" && Number.isInteger(value);
}

function factText(name: string, value: JsonValue): string {
  const text = typeof value === "string" ? value : lineJson(value);
  return isCents(name, value) ? `${text} (${centsText(value)})` : text;
}

/** Hundredths as people read money: 125000 is 1,250.00. */
export function centsText(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, "0");
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${cents < 0 ? "-" : ""}${whole}.${digits.slice(-2)}`;
}
