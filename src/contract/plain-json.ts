import type { JsonObject, JsonValue } from "./json.js";
import { pathText } from "./json-path.js";

/**
 * The deepest nesting of a recorded output. Requests are read to 128 levels, and an output travels some levels down in one.
 */
export const MAX_OUTPUT_DEPTH = 120;

/** A value that JSON cannot carry unchanged: where, and why. */
export class NotJson extends Error {
  override readonly name = "NotJson";
  constructor(
    /** As `$.lines[2].amount`. */
    readonly path: string,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    super(`${path}: ${problem}`, options);
  }
}

/**
 * A copy of a value as plain JSON data. Whatever `JSON.stringify` would drop, change or choke on is refused, and so is what
 * this package does not read back: an integer beyond 2^53-1, a lone surrogate, `__proto__` as a key.
 *
 * @throws {@link NotJson} naming the first place.
 */
export function toPlainJson(value: unknown): JsonValue {
  return new PlainCopy().of(value);
}

class PlainCopy {
  /** The way to the value at hand, and the objects passed on it: one step leads out of each. */
  readonly #path: (string | number)[] = [];
  readonly #around: object[] = [];

  of(value: unknown): JsonValue {
    switch (typeof value) {
      case "boolean":
        return value;
      case "string":
        if (!value.isWellFormed())
          throw this.#refusal("a string with a lone surrogate, which is no character");
        return value;
      case "number":
        return this.#ofNumber(value);
      case "bigint":
        throw this.#refusal("a BigInt, which JSON does not have; return a string");
      case "undefined":
        throw this.#refusal("undefined, which JSON does not have; leave the member out, or return null");
      case "function":
      case "symbol":
        throw this.#refusal(`a ${typeof value}, which JSON does not have`);
      case "object":
        return value === null ? null : this.#ofObject(value);
    }
  }

  #ofNumber(value: number): number {
    if (!Number.isFinite(value)) throw this.#refusal(`${value}, which JSON does not have`);
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      throw this.#refusal(
        `${value}, an integer beyond 2^53-1, which may be rounded already; return a string`,
      );
    }
    return value;
  }

  #ofObject(object: object): JsonValue {
    const again = this.#around.indexOf(object);
    if (again >= 0) throw this.#refusal(`a cycle, back to ${pathText(this.#path.slice(0, again))}`);
    if (this.#around.length >= MAX_OUTPUT_DEPTH) {
      throw this.#refusal(`nested deeper than ${MAX_OUTPUT_DEPTH} levels`);
    }
    this.#around.push(object);
    try {
      const copy = Array.isArray(object) ? this.#ofArray(object) : this.#ofMembers(object);
      this.#around.pop();
      return copy;
    } catch (cause) {
      if (cause instanceof NotJson) throw cause;
      // A getter or a proxy of the author's threw.
      throw new NotJson(pathText(this.#path), "it threw while it was read", { cause });
    }
  }

  #ofArray(array: readonly unknown[]): JsonValue {
    const extra = Object.keys(array).find((key) => !/^\d+$/.test(key));
    if (extra !== undefined)
      throw this.#refusal(`an array with the member "${extra}", which JSON would drop`);
    // Not map(): it would skip a hole, which is undefined to whoever reads it.
    return Array.from({ length: array.length }, (_, at) => this.#member(array, at));
  }

  #ofMembers(object: object): JsonObject {
    const problem = whyNotPlain(object);
    if (problem !== undefined) throw this.#refusal(problem);
    const copy: Record<string, JsonValue> = {};
    for (const key of Object.keys(object)) copy[key] = this.#member(object, key);
    return copy;
  }

  #member(object: object, step: string | number): JsonValue {
    this.#path.push(step);
    if (step === "__proto__") throw this.#refusal("the key __proto__ is not accepted");
    if (typeof step === "string" && !step.isWellFormed()) {
      throw this.#refusal("a key with a lone surrogate, which is no character");
    }
    const copy = this.of((object as Record<string | number, unknown>)[step]);
    this.#path.pop();
    return copy;
  }

  #refusal(problem: string): NotJson {
    return new NotJson(pathText(this.#path), problem);
  }
}

/** Why JSON would not carry an object as what it is, or `undefined`: it would write a Map as {} and a Date as a text. */
function whyNotPlain(object: object): string | undefined {
  const kind = Object.prototype.toString.call(object).slice("[object ".length, -1);
  if (kind !== "Object") return `a value of type ${kind}, which JSON does not have; return plain data`;
  if ("toJSON" in object && typeof object.toJSON === "function") {
    return "an object with a toJSON method; return what it stands for";
  }
  const symbol = Object.getOwnPropertySymbols(object).find((key) =>
    Object.prototype.propertyIsEnumerable.call(object, key),
  );
  return symbol && `an object with ${String(symbol)} as a key, which JSON would drop`;
}
