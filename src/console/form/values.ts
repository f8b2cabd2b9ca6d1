import {
  isJsonObject,
  ownValue,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
} from "../../contract/json.js";
import type { JsonPath } from "../../contract/json-path.js";
import { planOf, type Member } from "./plan.js";
import { resolved } from "./schema-reading.js";

/** How deep a schema that refers to itself is followed. */
const DEPTH = 12;

/** How deep what is required is made to begin with. What lies deeper is added by hand. */
const START_DEPTH = 3;

/**
 * How many steps one question about a schema may take. A run waits with a schema of its client's, which may refer to itself in as
 * many ways as it likes: whoever is to decide must not be kept from it by that.
 */
const STEPS = 2_000;

/** Counts steps down, over all of a question. */
interface Steps {
  left: number;
}

/** What stands at a place of a value, or `undefined`. */
export function valueAt(value: JsonValue | undefined, path: JsonPath): JsonValue | undefined {
  let at = value;
  for (const step of path) {
    if (typeof step === "number") at = Array.isArray(at) ? (at as readonly JsonValue[])[step] : undefined;
    else at = isJsonObject(at) ? ownValue(at, step) : undefined;
  }
  return at;
}

/** The value with another one at a place; a member that becomes `undefined` goes. What the way leads through is made. */
export function withValueAt(
  value: JsonValue | undefined,
  [step, ...rest]: JsonPath,
  wanted: JsonValue | undefined,
): JsonValue | undefined {
  if (step === undefined) return wanted;
  if (typeof step === "number") {
    const list = Array.isArray(value) ? [...(value as readonly JsonValue[])] : [];
    list[step] = withValueAt(list[step], rest, wanted) ?? null;
    return list;
  }
  const object: JsonObject = isJsonObject(value) ? value : {};
  const inner = withValueAt(ownValue(object, step), rest, wanted);
  const entries = Object.entries(object);
  if (inner === undefined) return Object.fromEntries(entries.filter(([key]) => key !== step));
  if (!Object.hasOwn(object, step)) return Object.fromEntries([...entries, [step, inner]]);
  return Object.fromEntries(entries.map(([key, each]) => [key, key === step ? inner : each]));
}

/** What a schema leaves no choice about, or says itself to begin with. */
export function startOf(
  schema: JsonSchema,
  root: JsonSchema,
  depth = 0,
  steps: Steps = { left: STEPS },
): JsonValue | undefined {
  steps.left -= 1;
  const read = resolved(schema, root);
  if (isJsonObject(read) && Object.hasOwn(read, "default")) return ownValue(read, "default");
  if (depth > START_DEPTH || steps.left < 0) return undefined;
  const plan = planOf(read, root);
  if (plan.kind === "choice") return plan.options.length === 1 ? plan.options[0] : undefined;
  if (plan.kind === "null") return null;
  if (plan.kind === "list") return [];
  if (plan.kind !== "object") return undefined;
  const entries = plan.members
    .filter(({ required }) => required)
    .map(({ name, schema: member }) => [name, startOf(member, root, depth + 1, steps)] as const)
    .filter((entry): entry is readonly [string, JsonValue] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}

/** Whether a value looks like one of a schema: enough to tell alternatives apart. The server judges. */
export function looksLike(
  schema: JsonSchema,
  value: JsonValue | undefined,
  root: JsonSchema,
  depth = 0,
  steps: Steps = { left: STEPS },
): boolean {
  steps.left -= 1;
  if (value === undefined || depth > DEPTH || steps.left < 0) return false;
  const plan = planOf(schema, root);
  switch (plan.kind) {
    case "raw":
      return true;
    case "choice":
      return plan.options.some((option) => JSON.stringify(option) === JSON.stringify(value));
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number" && (!plan.isWhole || Number.isInteger(value));
    case "flag":
      return typeof value === "boolean";
    case "null":
      return value === null;
    case "list":
    case "tuple":
      return Array.isArray(value);
    case "variants":
      return plan.variants.some((variant) => looksLike(variant.schema, value, root, depth + 1, steps));
    case "object":
      return isJsonObject(value) && isLikeObject(plan, value, root, depth, steps);
  }
}

/** Members that are missing yet are no contradiction: they are being typed. Those that contradict are. */
function isLikeObject(
  plan: { readonly members: readonly Member[]; readonly isOpen: boolean },
  value: JsonObject,
  root: JsonSchema,
  depth: number,
  steps: Steps,
): boolean {
  const known = new Set(plan.members.map(({ name }) => name));
  if (!plan.isOpen && Object.keys(value).some((key) => !known.has(key))) return false;
  return plan.members.every(({ name, schema, required }) => {
    const member = ownValue(value, name);
    if (member !== undefined) return looksLike(schema, member, root, depth + 1, steps);
    return !required || planOf(schema, root).kind !== "choice";
  });
}

/** The required members that a value does not have. */
export function missingIn(
  schema: JsonSchema,
  value: JsonValue | undefined,
  root: JsonSchema,
  path: JsonPath = [],
): readonly JsonPath[] {
  if (path.length > DEPTH) return [];
  const plan = planOf(schema, root);
  if (plan.kind === "variants") {
    const variant = plan.variants.find((one) => looksLike(one.schema, value, root));
    return variant === undefined ? [] : missingIn(variant.schema, value, root, path);
  }
  if (plan.kind === "list" && Array.isArray(value)) {
    return (value as readonly JsonValue[]).flatMap((item, at) =>
      missingIn(plan.item, item, root, [...path, at]),
    );
  }
  if (plan.kind !== "object" || !isJsonObject(value)) return [];
  return plan.members.flatMap(({ name, schema: member, required }) => {
    const inner = ownValue(value, name);
    if (inner === undefined) return required ? [[...path, name]] : [];
    return missingIn(member, inner, root, [...path, name]);
  });
}
