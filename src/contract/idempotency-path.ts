import { isJsonObject, ownValue, type JsonValue } from "./json.js";
import { keyList } from "./key-list.js";
import { MissingIdempotencyKey } from "./tool-errors.js";

/**
 * A dotted path to the input member that identifies a call, such as `order.id`: the way a tool says that the same call
 * asked for twice is one call.
 */
export class IdempotencyPath {
  readonly #steps: readonly string[];

  /**
   * @throws TypeError when the path has an empty step.
   */
  constructor(
    readonly tool: string,
    readonly path: string,
  ) {
    this.#steps = path.split(".");
    if (this.#steps.includes("")) {
      throw new TypeError(`"${path}" is no path into an input: write it like "order.id"`);
    }
  }

  /**
   * The key of a call: `<tool>:<value>`.
   *
   * @throws {@link MissingIdempotencyKey} unless the input holds a non-empty string or a safe integer there, in members
   *   of its own. A call that declares a key is never performed without one.
   */
  derive(input: JsonValue): string {
    let value: JsonValue | undefined = input;
    for (const step of this.#steps) {
      value = value !== undefined && isJsonObject(value) ? ownValue(value, step) : undefined;
    }
    if (!isKeyValue(value)) {
      throw new MissingIdempotencyKey(
        this.tool,
        `needs a non-empty string or a safe integer at ${this.path} of the input; found ${found(value)}; ` +
          `the input has ${keysOf(input)}`,
      );
    }
    return `${this.tool}:${value}`;
  }
}

function isKeyValue(value: JsonValue | undefined): value is string | number {
  // A lone surrogate becomes U+FFFD on its way out of this process, and two keys would become one.
  return typeof value === "string" ? value !== "" && value.isWellFormed() : Number.isSafeInteger(value);
}

function found(value: JsonValue | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null || typeof value === "boolean" || typeof value === "number") return String(value);
  if (typeof value === "string") return value === "" ? "an empty string" : "a string with a lone surrogate";
  return Array.isArray(value) ? "an array" : "an object";
}

function keysOf(input: JsonValue): string {
  return keyList(isJsonObject(input) ? Object.keys(input) : []);
}
