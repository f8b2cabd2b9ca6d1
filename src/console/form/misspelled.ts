import { isJsonObject, type JsonSchema, type JsonValue } from "../../contract/json.js";
import type { JsonPath } from "../../contract/json-path.js";
import { parseJson } from "../../log/parse-json.js";
import { isCentsName } from "../ui/money.js";
import { planOf, type Plan } from "./plan.js";
import { looksLike, valueAt } from "./values.js";

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** How many alternatives are gone into on the way to one place. */
const TURNS = 64;

export interface Misspelled {
  readonly path: JsonPath;
  readonly text: string;
}

/**
 * The places of a JSON text where a whole number is asked for and stands with a point or an exponent: `480.00` is 480 to JSON,
 * and may have been meant as something else.
 *
 * @param text JSON that can be read, as `value`.
 */
export function misspelledIn(
  text: string,
  value: JsonValue | undefined,
  schema: JsonSchema,
): readonly Misspelled[] {
  const spelled: string[] = [];
  let mark = "#";
  while (text.includes(mark)) mark += "#";
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith('"') || !/[.eE]/.test(token)) return token;
    spelled.push(token);
    return `"${mark}${spelled.length - 1}"`;
  });
  if (spelled.length === 0) return [];
  return placesOf(parseJson(marked), mark, []).flatMap(({ path, at }) => {
    const written = spelled[at] ?? "";
    return isWholeAt(path, value, schema) ? [{ path, text: written }] : [];
  });
}

function placesOf(
  value: JsonValue,
  mark: string,
  path: JsonPath,
): readonly { readonly path: JsonPath; readonly at: number }[] {
  if (typeof value === "string")
    return value.startsWith(mark) ? [{ path, at: Number(value.slice(mark.length)) }] : [];
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).flatMap((item, at) => placesOf(item, mark, [...path, at]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => placesOf(item, mark, [...path, name]));
}

/** Cents are counted whatever their schema says; half a cent can be written all the same. */
function isWholeAt(path: JsonPath, value: JsonValue | undefined, root: JsonSchema): boolean {
  if (isCentsName(path.at(-1)) && Number.isInteger(valueAt(value, path))) return true;
  const plan = planAt(path, value, root);
  return plan?.kind === "number" && plan.isWhole;
}

function planAt(path: JsonPath, value: JsonValue | undefined, root: JsonSchema): Plan | undefined {
  let plan = planOf(root, root);
  for (let depth = 0, turns = 0; ; turns += 1) {
    if (turns > TURNS) return undefined;
    const step = path[depth];
    let next: JsonSchema | undefined;
    if (plan.kind === "variants") {
      const here = valueAt(value, path.slice(0, depth));
      next = plan.variants.find((one) => looksLike(one.schema, here, root))?.schema;
    } else if (step === undefined) {
      return plan;
    } else {
      depth += 1;
      if (plan.kind === "object") next = plan.members.find(({ name }) => name === step)?.schema;
      else if (plan.kind === "list") next = plan.item;
      else if (plan.kind === "tuple") next = plan.items[Number(step)];
    }
    if (next === undefined) return undefined;
    plan = planOf(next, root);
  }
}
