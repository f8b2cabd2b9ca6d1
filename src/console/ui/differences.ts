import { isJsonObject, ownValue, type JsonValue } from "../../contract/json.js";
import { pathText, type JsonPath } from "../../contract/json-path.js";
import { jsonEqual } from "../../log/json-equal.js";
import { lineJson } from "./json-text.js";
import { factText } from "./money.js";

/** A member that two values have, with another value in each. */
export interface Difference {
  /** Where it is, as `$.lines`. */
  readonly place: string;
  /** The same without what every place begins with. */
  readonly name: string;
  readonly asked: string;
  readonly said: string;
}

/** How far in members are looked at, and how many are named. */
const DEEPEST = 8;
const MOST = 20;

/** What a result says otherwise than was asked for, of all that both name. No rule of a declaration is looked at. */
export function differencesOf(
  asked: JsonValue | undefined,
  said: JsonValue | undefined,
): readonly Difference[] {
  return differing(asked, said, []).slice(0, MOST);
}

function differing(
  asked: JsonValue | undefined,
  said: JsonValue | undefined,
  path: JsonPath,
): readonly Difference[] {
  if (asked === undefined || said === undefined) return [];
  if (isJsonObject(asked) && isJsonObject(said) && path.length < DEEPEST) {
    return Object.keys(asked).flatMap((name) =>
      differing(ownValue(asked, name), ownValue(said, name), [...path, name]),
    );
  }
  if (path.length === 0 || jsonEqual(asked, said)) return [];
  const isText = typeof asked === "string" && typeof said === "string";
  const name = String(path.at(-1));
  const text = (value: JsonValue): string =>
    isText || typeof value !== "string" ? factText(name, value) : lineJson(value);
  const place = pathText(path);
  return [{ place, name: place.replace(/^\$\.?/, ""), asked: text(asked), said: text(said) }];
}
