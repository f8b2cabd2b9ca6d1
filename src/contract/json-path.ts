import { shortKey } from "./key-list.js";

/** The way to a place inside a JSON value: keys and indexes from the outside in. */
export type JsonPath = readonly (string | number)[];

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * A path as people read it: `$.lines[2].amount_cents`, and `$["odd key"]` where a key is no plain name. A key of more than 60
 * characters is cut: whoever sends one gets a short answer.
 */
export function pathText(path: JsonPath): string {
  let text = "$";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += PLAIN_KEY.test(step) ? `.${shortKey(step)}` : `[${JSON.stringify(shortKey(step))}]`;
  }
  return text;
}
