import type { Ajv, Options } from "ajv";
import { isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import { checkSchema } from "../check-schema.js";
import { loadEngine } from "../load-engine.js";
import { RULES } from "../rules.js";
import { mapInnerValues, referencesIn, without } from "./schema-walk.js";

const DEFINITION = "#/definitions/";

/**
 * Proves schemas: each compiles under the strictest rules of ajv, and passes the checks that it is held to when the tool is
 * registered. What many schemas share, and what one says again and again, is compiled once.
 */
export class Prover {
  // That a schema compiles shows without the texts of errors, which are half of the code.
  readonly #compiler = strictAjv({ messages: false });
  readonly #judge = strictAjv({ ownProperties: true });
  /** The texts of whole schemas. */
  readonly #proved = new Set<string>();
  /** The texts of what compiles wherever its references point at something. */
  readonly #compiled = new Set<string>();

  /** What is wrong with a schema, or nothing. */
  prove(schema: JsonObject): string | undefined {
    const text = JSON.stringify(schema);
    if (this.#proved.has(text)) return undefined;
    const { definitions: own } = schema;
    const definitions = isJsonObject(own) ? (own as { readonly [name: string]: JsonObject }) : {};
    try {
      checkSchema(schema, RULES.author);
      // A part that is left out may refer to something, so that is looked at for all parts together.
      const lost = [...referencesIn(schema)].find(
        (reference) => !Object.hasOwn(definitions, reference.slice(DEFINITION.length)),
      );
      if (lost !== undefined) return `${lost} points at nothing in this schema`;
      const names = Object.keys(definitions);
      for (const part of [without(schema, "definitions"), ...Object.values(definitions)])
        this.#compile(part, names);
      this.#proved.add(text);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** Compiles a schema by itself: what a reference leads to makes no difference to the code around it. */
  #compile(part: JsonObject, names: readonly string[]): void {
    const text = JSON.stringify(part);
    if (this.#compiled.has(text)) return;
    const inside: string[] = [text];
    const uncompiled = this.#withoutCompiled(part, inside);
    const definitions = Object.fromEntries(names.map((name) => [name, {}]));
    const short = { ...uncompiled, definitions };
    try {
      this.#compiler.compile(short);
      for (const each of inside) this.#compiled.add(each);
    } finally {
      this.#compiler.removeSchema(short);
    }
  }

  /**
   * A schema without what is compiled of the members and items that it describes: strict mode judges those by themselves, whatever
   * stands around them. Adds the texts of those that are left to `inside`.
   */
  #withoutCompiled(schema: JsonObject, inside: string[]): JsonObject {
    return mapInnerValues(schema, (value) => {
      const text = JSON.stringify(value);
      if (this.#compiled.has(text)) return {};
      inside.push(text);
      return this.#withoutCompiled(value, inside);
    });
  }

  /** What is wrong with a value under a schema that compiles, or nothing. */
  judge(schema: JsonObject, value: JsonValue): string | undefined {
    try {
      if (this.#judge.validate(schema, value)) return undefined;
      return this.#judge.errorsText(undefined, { dataVar: "it" });
    } finally {
      this.#judge.removeSchema(schema);
    }
  }
}

function strictAjv(options: Options): Ajv {
  // Open tuples are what they are on purpose; everything else that strict mode knows is a mistake in a schema.
  const ajv = new (loadEngine("draft-07").Ajv)({
    strict: true,
    strictTuples: false,
    // Schemas are checked against the standard before they are compiled.
    validateSchema: false,
    logger: false,
    // The code runs a few times at most: making it small takes longer than running it as it is. Definitions that say
    // next to nothing need no function of their own.
    inlineRefs: 1,
    code: { optimize: false },
    ...options,
  });
  loadEngine("formats").default(ajv);
  return ajv;
}
