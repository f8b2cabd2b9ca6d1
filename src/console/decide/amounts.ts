import { isJsonObject, type JsonValue } from "../../contract/json.js";
import { lineJson } from "../ui/json-text.js";
import { factText, moneyOf } from "../ui/money.js";

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
  return Object.entries(input).flatMap(([name, value]) => {
    const text = moneyOf(name, value);
    return text === undefined ? [] : [{ name: name.replace(/_?cents$/i, "") || name, text }];
  });
}

/** What a result says besides what was asked for, as far as it fits on a line: the provider's id. Money is said elsewhere. */
export function receiptIn(output: JsonValue, input: JsonValue): readonly Fact[] {
  if (!isJsonObject(output)) return [{ name: "result", text: lineJson(output) }];
  return Object.entries(output)
    .filter(([name]) => !(isJsonObject(input) && Object.hasOwn(input, name)))
    .filter(([name, value]) => isPlain(value) && moneyOf(name, value) === undefined)
    .map(([name, value]) => ({ name, text: factText(name, value) }))
    .slice(0, 5);
}

function isPlain(value: JsonValue): boolean {
  return typeof value === "string" || typeof value === "number";
}
