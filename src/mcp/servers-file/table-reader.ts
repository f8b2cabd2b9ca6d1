import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../../contract/json.js";
import { keyText, type Finding } from "../../declarations/finding.js";
import { kind } from "../../declarations/report.js";
import type { JsonPath } from "../../log/json-path.js";
import { didYouMean } from "../../schema/index.js";

/** Reads a table of a file of servers by its keys; what is wrong is collected, and reads as if it were not there. */
export class TableReader {
  constructor(
    private readonly table: JsonObject,
    private readonly path: JsonPath,
    private readonly findings: Finding[],
  ) {}

  has(key: string): boolean {
    return Object.hasOwn(this.table, key);
  }

  /** Reports every key that is not among these. */
  allow(keys: readonly string[]): void {
    for (const key of Object.keys(this.table)) {
      if (keys.includes(key)) continue;
      const meant = didYouMean(key, keys);
      const advice =
        meant === undefined ? `leave it out, or write one of ${keys.join(", ")}` : `write ${meant}`;
      this.report(key, "is no key that is known here", advice);
    }
  }

  text(key: string, advice: string): string | undefined {
    return this.#read(
      key,
      (value) => (typeof value === "string" && value !== "" ? value : undefined),
      advice,
    );
  }

  flag(key: string): boolean | undefined {
    const isFlag = (value: JsonValue) => (typeof value === "boolean" ? value : undefined);
    return this.#read(key, isFlag, `write ${key} = true or ${key} = false`);
  }

  /** Seconds, as milliseconds. */
  seconds(key: string): number | undefined {
    const read = (value: JsonValue) =>
      typeof value === "number" && value > 0 && value <= MOST_SECONDS ? value * 1000 : undefined;
    return this.#read(key, read, `write a number of seconds, ${key} = 30`);
  }

  texts(key: string, advice: string): readonly string[] | undefined {
    const read = (value: JsonValue) => (isTexts(value) ? value : undefined);
    return this.#read(key, read, advice);
  }

  /** A table of texts. */
  map(key: string, advice: string): Readonly<Record<string, string>> | undefined {
    const read = (value: JsonValue) =>
      isJsonObject(value) && isTexts(Object.values(value))
        ? (value as Readonly<Record<string, string>>)
        : undefined;
    return this.#read(key, read, advice);
  }

  /** Each member that is a table, with a reader of its own. */
  tables(key: string, advice: string): readonly (readonly [string, TableReader])[] {
    const members = this.#read(key, (value) => (isJsonObject(value) ? value : undefined), advice);
    return Object.entries(members ?? {}).flatMap(([name, value]) => {
      const path = [...this.path, key, name];
      if (isJsonObject(value)) return [[name, new TableReader(value, path, this.findings)] as const];
      this.findings.push({ path, what: `${keyText(path)} is ${kind(value)}`, advice });
      return [];
    });
  }

  /** @param key `""` for the table itself. */
  report(key: string, problem: string, advice: string): void {
    const path = key === "" ? this.path : [...this.path, key];
    this.findings.push({ path, what: `${keyText(path)} ${problem}`, advice });
  }

  #read<T>(key: string, read: (value: JsonValue) => T | undefined, advice: string): T | undefined {
    const value = ownValue(this.table, key);
    if (value === undefined) return undefined;
    const known = read(value);
    if (known === undefined) this.report(key, `is ${value === "" ? "an empty text" : kind(value)}`, advice);
    return known;
  }
}

/** A timer of Node's that is set for longer fires at once. */
const MOST_SECONDS = 2_000_000;

function isTexts(value: JsonValue): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
