import type { JsonObject, JsonValue } from "./json.js";
import { pathText } from "./json-path.js";
import { quickCopy } from "./quick-copy.js";

/**
 * The deepest nesting of a recorded output. Requests are read to 128 levels, and an output travels some levels down in one.
 */
export const MAX_OUTPUT_DEPTH = 120;

/** The deepest nesting of an input that was read already. */
const MAX_INPUT_DEPTH = 128;

/** The most bytes that a value's JSON may have. Requests are read to 8 MiB, and a value travels in one with a few words around it. */
export const MAX_JSON_BYTES = 8 * 1024 * 1024 - 64 * 1024;

const OUTPUT = { maxDepth: MAX_OUTPUT_DEPTH, maxBytes: MAX_JSON_BYTES, refusesSymbols: true };
const INPUT = { maxDepth: MAX_INPUT_DEPTH, maxBytes: MAX_JSON_BYTES, refusesSymbols: false };

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
 * this package does not read back: an integer beyond 2^53-1, a lone surrogate, `__proto__` as a key, more than
 * {@link MAX_JSON_BYTES}. Only -0 becomes 0, the number that it is equal to.
 *
 * @throws {@link NotJson} naming the first place.
 */
export function toPlainJson(value: unknown): JsonValue {
  return quickCopy(value, OUTPUT) ?? new PlainCopy(MAX_OUTPUT_DEPTH, true).whole(value);
}

/**
 * The same of a value that is an input by now: it may be nested as deep as requests are, and a member under a symbol, which
 * is no member of it, is nobody's mistake.
 *
 * @throws {@link NotJson} naming the first place.
 */
export function copyInput(input: JsonValue): JsonValue {
  return quickCopy(input, INPUT) ?? new PlainCopy(MAX_INPUT_DEPTH, false).whole(input);
}

/** An object that is being copied, the member of it that is at hand, and the objects around it. */
interface Place {
  readonly object: object;
  readonly outer: Place | undefined;
  readonly depth: number;
  /** Absent while nothing of the object was read. */
  step: string | number | undefined;
}

class PlainCopy {
  /** Values and keys at all levels, and the characters in them. */
  private parts = 0;
  private text = 0;

  constructor(
    private readonly maxDepth: number,
    private readonly refusesSymbols: boolean,
  ) {}

  whole(value: unknown): JsonValue {
    const copy = this.of(value, undefined);
    // A character takes at most six bytes, an escape; a number 25, and every part a few more around it.
    if (this.parts * 32 + this.text * 6 > MAX_JSON_BYTES) {
      const { length } = new TextEncoder().encode(JSON.stringify(copy));
      if (length > MAX_JSON_BYTES) throw tooLarge();
    }
    return copy;
  }

  private of(value: unknown, at: Place | undefined): JsonValue {
    switch (typeof value) {
      case "boolean":
        return value;
      case "string":
        if (!value.isWellFormed()) throw refusal(at, "a string with a lone surrogate, which is no character");
        this.count(value.length);
        return value;
      case "number":
        return ofNumber(value, at);
      case "bigint":
        throw refusal(at, "a BigInt, which JSON does not have; return a string");
      case "undefined":
        throw refusal(at, "undefined, which JSON does not have; leave the member out, or return null");
      case "function":
      case "symbol":
        throw refusal(at, `a ${typeof value}, which JSON does not have`);
      case "object":
        return value === null ? null : this.ofObject(value, at);
    }
  }

  private ofObject(object: object, outer: Place | undefined): JsonValue {
    const depth = outer === undefined ? 1 : outer.depth + 1;
    for (let around = outer; around !== undefined; around = around.outer) {
      if (around.object === object) throw refusal(outer, `a cycle, back to ${textOf(around.outer)}`);
    }
    if (depth > this.maxDepth) throw refusal(outer, `nested deeper than ${this.maxDepth} levels`);
    const place: Place = { object, outer, depth, step: undefined };
    try {
      const problem = whyNotPlain(object, this.refusesSymbols);
      if (problem !== undefined) throw refusal(outer, problem);
      return Array.isArray(object) ? this.ofArray(object, place) : this.ofMembers(object, place);
    } catch (cause) {
      if (cause instanceof NotJson) throw cause;
      // A getter or a proxy of the author's threw.
      throw new NotJson(textOf(place.step === undefined ? outer : place), "it threw while it was read", {
        cause,
      });
    }
  }

  private ofArray(array: readonly unknown[], place: Place): JsonValue {
    const copy: JsonValue[] = [];
    // A hole is undefined to whoever reads it.
    for (let at = 0; at < array.length; at += 1) {
      place.step = at;
      this.count(0);
      copy.push(this.of(array[at], place));
    }
    return copy;
  }

  private ofMembers(object: object, place: Place): JsonObject {
    const copy = ownMembers(object, place) as Record<string, unknown>;
    for (const key of Object.keys(copy)) {
      place.step = key;
      if (key === "__proto__") throw refusal(place, "the key __proto__ is not accepted");
      if (!key.isWellFormed()) throw refusal(place, "a key with a lone surrogate, which is no character");
      this.count(key.length);
      const member = copy[key];
      const plain = this.of(member, place);
      if (plain !== member || plain === 0) copy[key] = plain;
    }
    return copy as JsonObject;
  }

  /** Counts a part. Told as soon as it is certain: one object that is held many times may stand for more than any memory. */
  private count(length: number): void {
    this.parts += 1;
    this.text += length;
    if (this.parts + this.text > MAX_JSON_BYTES) throw tooLarge();
  }
}

/** A shallow copy: much faster than one that is made member by member, and each getter is asked once. */
function ownMembers(object: object, place: Place): object {
  try {
    return { ...object };
  } catch (cause) {
    // Which of them threw: they are asked again, one by one.
    for (const key of Object.keys(object)) {
      place.step = key;
      Reflect.get(object, key);
    }
    throw cause;
  }
}

function ofNumber(value: number, at: Place | undefined): number {
  if (!Number.isFinite(value)) throw refusal(at, `${value}, which JSON does not have`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw refusal(at, `${value}, an integer beyond 2^53-1, which may be rounded already; return a string`);
  }
  return value === 0 ? 0 : value;
}

function refusal(at: Place | undefined, problem: string): NotJson {
  return new NotJson(textOf(at), problem);
}

function tooLarge(): NotJson {
  return new NotJson("$", `larger than the ${MAX_JSON_BYTES} bytes of JSON that are recorded`);
}

function textOf(at: Place | undefined): string {
  const path: (string | number)[] = [];
  for (let place = at; place !== undefined; place = place.outer) path.unshift(place.step ?? "");
  return pathText(path);
}

/** Why JSON would not carry an object as what it is, or `undefined`: it would write a Map as {} and a Date as a text. */
function whyNotPlain(object: object, refusesSymbols: boolean): string | undefined {
  const isArray = Array.isArray(object);
  if (!isArray) {
    const kind = kindOf(object);
    if (kind !== "[object Object]") {
      return `a value of type ${kind.slice("[object ".length, -1)}, which JSON does not have; return plain data`;
    }
  }
  if ("toJSON" in object && typeof object.toJSON === "function") {
    return "an object with a toJSON method; return what it stands for";
  }
  const symbol = refusesSymbols ? symbolOf(object) : undefined;
  if (symbol !== undefined) return `an object with ${String(symbol)} as a key, which JSON would drop`;
  return isArray ? namedMember(object) : undefined;
}

/** What an object is, as `[object Map]`. */
const kindOf = (object: object): string => Object.prototype.toString.call(object);

function symbolOf(object: object): symbol | undefined {
  const symbols = Object.getOwnPropertySymbols(object);
  if (symbols.length === 0) return undefined;
  return symbols.find((key) => Object.prototype.propertyIsEnumerable.call(object, key));
}

function namedMember(array: readonly unknown[]): string | undefined {
  const keys = Object.keys(array);
  // With no more keys than items, a named one stands beside a hole, which is refused as such.
  if (keys.length <= array.length) return undefined;
  const named = keys.find((key) => !/^\d+$/.test(key)) ?? "";
  return `an array with the member "${named}", which JSON would drop`;
}
