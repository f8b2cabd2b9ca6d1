import { LRUCache } from "lru-cache";
import type { JsonObject, JsonValue } from "../../contract/json.js";
import { Assembler } from "./assemble.js";
import type { Doc } from "./doc.js";
import { Prover } from "./prove.js";
import { shapeKey } from "./shape-key.js";
import type { Shape } from "./shape.js";

/** How many schemas are kept for the next time. */
const KEPT = 10_000;

/** A shape to make a schema of. */
export interface WantedSchema {
  readonly shape: Shape;
  readonly mustBeObject?: boolean;
}

/** A schema; `wrong` says why it must not be used. */
export interface MadeSchema {
  readonly schema: JsonObject;
  readonly wrong?: string;
}

/** Makes schemas of shapes and proves them. What was made for a shape that says the same is made once, however many ask for it. */
export class SchemaMaker {
  readonly #prover = new Prover();
  readonly #made = new LRUCache<string, MadeSchema>({ max: KEPT });
  readonly #judged = new LRUCache<string, readonly WrongValue[]>({ max: KEPT });

  /** The schemas of shapes, in their order, each made when it is asked for. */
  *make(wanted: readonly WantedSchema[]): Generator<MadeSchema, void, void> {
    const keyed = wanted.map((one) => {
      const key = keyOf(one);
      return { ...one, key, before: this.#made.get(key) };
    });
    const missing = keyed.filter(({ before }) => before === undefined);
    const assembler = new Assembler(missing.map(({ shape }) => shape));
    for (const { key, before, shape, mustBeObject = false } of keyed) {
      const known = before ?? this.#made.get(key);
      if (known !== undefined) {
        yield known;
        continue;
      }
      const schema = assembler.schemaOf(shape, { mustBeObject });
      const wrong = this.#prover.prove(schema);
      const made: MadeSchema = { schema, ...(wrong !== undefined && { wrong }) };
      this.#made.set(key, made);
      yield made;
    }
  }

  /** The values in docs that are not of the shapes that the docs stand on, for each doc. */
  judge(checks: readonly { readonly doc: Doc; readonly shape: Shape }[]): readonly (readonly WrongValue[])[] {
    const keyed = checks.map(({ doc, shape }) => {
      const key = `${shapeKey(shape)} ${JSON.stringify(doc)}`;
      return { doc, shape, key, before: this.#judged.get(key) };
    });
    const missing = keyed.filter(({ before }) => before === undefined);
    const assembler = new Assembler(missing.map(({ shape }) => shape));
    return keyed.map(({ doc, shape, key, before }) => {
      const known = before ?? this.#judged.get(key);
      if (known !== undefined) return known;
      const schema = assembler.schemaOf(shape);
      const wrong = valuesOf(doc).flatMap(({ tag, value }) => {
        const why = this.#prover.judge(schema, value);
        return why === undefined ? [] : [{ tag, value, why }];
      });
      this.#judged.set(key, wrong);
      return wrong;
    });
  }
}

export interface WrongValue {
  readonly tag: "default" | "examples";
  readonly value: JsonValue;
  readonly why: string;
}

function keyOf({ shape, mustBeObject = false }: WantedSchema): string {
  return `${mustBeObject ? "object" : "any"} ${shapeKey(shape)}`;
}

function valuesOf(doc: Doc): readonly Pick<WrongValue, "tag" | "value">[] {
  return [
    ...(doc.default === undefined ? [] : [{ tag: "default" as const, value: doc.default }]),
    ...(doc.examples ?? []).map((value) => ({ tag: "examples" as const, value })),
  ];
}
