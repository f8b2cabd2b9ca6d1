import { Ajv, type Options } from "ajv";
import formatsPlugin from "ajv-formats";
import { isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import { canonicalJson } from "../../log/canonical-json.js";
import { checkSchema } from "../check-schema.js";
import { RULES } from "../rules.js";
import { referencesIn } from "./schema-walk.js";

const DEFINITION = "#/definitions/";

/**
 * Proves schemas: each compiles under the strictest rules of ajv, and passes the checks that it is held to when the tool is
 * registered. Definitions that many schemas share are compiled once.
 */
export class Prover {
  // That a schema compiles shows without the texts of errors, which are half of the code.
  readonly #compiler = strictAjv({ messages: false });
  readonly #judge = strictAjv({ ownProperties: true });
  readonly #proved = new Set<string>();

  /** What is wrong with a schema, or nothing. */
  prove(schema: JsonObject): string | undefined {
    const { definitions: own } = schema;
    const definitions = isJsonObject(own) ? (own as { readonly [name: string]: JsonObject }) : {};
    const keys = new Map(Object.keys(definitions).map((name) => [name, closedText(name, definitions)]));
    // What a reference leads to makes no difference to the code around it.
    const unproved = Object.entries(definitions).map(([name, definition]): [string, JsonObject] => [
      name,
      this.#proved.has(keys.get(name) ?? "") ? {} : definition,
    ]);
    const short = unproved.length === 0 ? schema : { ...schema, definitions: Object.fromEntries(unproved) };
    try {
      checkSchema(schema, RULES.author);
      this.#compiler.compile(short);
      for (const key of keys.values()) this.#proved.add(key);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      this.#compiler.removeSchema(short);
    }
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

/** The text of a definition with everything that it refers to. */
function closedText(name: string, definitions: { readonly [name: string]: JsonObject }): string {
  const found = new Map<string, JsonObject>();
  const open = [name];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const definition = Object.hasOwn(definitions, next) ? definitions[next] : undefined;
    if (definition === undefined || found.has(next)) continue;
    found.set(next, definition);
    for (const reference of referencesIn(definition)) open.push(reference.slice(DEFINITION.length));
  }
  return canonicalJson([name, Object.fromEntries(found)]);
}

function strictAjv(options: Options): Ajv {
  // Open tuples are what they are on purpose; everything else that strict mode knows is a mistake in a schema.
  const ajv = new Ajv({
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
  formatsPlugin.default(ajv);
  return ajv;
}
