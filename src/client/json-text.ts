import type { JsonValue } from "../contract/json.js";
import { MAX_DEPTH } from "../log/parse-json.js";
import { pathText } from "../log/json-path.js";
import { SalvorError } from "./salvor-error.js";

/** A value that JSON cannot carry unchanged: sending it would record something else than what the caller has. */
export class NotJsonError extends SalvorError {
  override readonly name = "NotJsonError";
  constructor(
    /** What the value is for, as `input of refund_card`. */
    readonly what: string,
    /** Where, as `$.lines[2].amount_cents`. */
    readonly path: string,
    problem: string,
  ) {
    super(`${what}: ${path} ${problem}`, { code: "not_json" });
  }
}

/**
 * The JSON text of a value that is JSON through and through. `JSON.stringify` alone would turn NaN into null, drop
 * `undefined` and call `toJSON`.
 *
 * @param what names the value in an error.
 * @throws {@link NotJsonError} naming the path.
 */
export function jsonText(value: unknown, what: string): string {
  assertJson(value, what);
  return JSON.stringify(value);
}

/** @throws {@link NotJsonError} naming the path, when the value is not JSON through and through. */
export function assertJson(value: unknown, what: string): asserts value is JsonValue {
  const path: (string | number)[] = [];
  const refuse = (problem: string): never => {
    throw new NotJsonError(what, pathText(path), problem);
  };
  const walk = (at: unknown): void => {
    if (at === null || typeof at === "boolean" || typeof at === "string") return;
    if (typeof at === "number") {
      if (!Number.isFinite(at)) refuse(`is ${at}, which JSON does not have`);
      if (Number.isInteger(at) && !Number.isSafeInteger(at)) {
        refuse(`is ${at}, an integer beyond 2^53-1; send it as a string`);
      }
      return;
    }
    if (typeof at !== "object") {
      refuse(`is ${typeof at === "undefined" ? "undefined" : `a ${typeof at}`}, which JSON does not have`);
    }
    if (path.length >= MAX_DEPTH) refuse("is nested too deep, or inside itself");
    if (Array.isArray(at)) {
      for (let index = 0; index < at.length; index += 1) visit(index, at[index]);
      return;
    }
    const prototype: unknown = Object.getPrototypeOf(at);
    if (prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null) {
      refuse(`is a ${(at as object).constructor.name}, not plain data`);
    }
    for (const [key, member] of Object.entries(at as object)) visit(key, member);
  };
  const visit = (step: string | number, member: unknown): void => {
    path.push(step);
    walk(member);
    path.pop();
  };
  walk(value);
}
