/** The way to a place inside a JSON value: keys and indexes from the outside in. */
export type JsonPath = readonly (string | number)[];

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A path as people read it: `$.lines[2].amount_cents`, and `$["odd key"]` where a key is no plain name. */
export function pathText(path: JsonPath): string {
  let text = "$";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += PLAIN_KEY.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  }
  return text;
}
