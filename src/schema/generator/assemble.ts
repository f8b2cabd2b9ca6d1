import { isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import { applyDoc } from "./apply-doc.js";
import { nameDefinitions, type Definition } from "./definition-names.js";
import { emitSchemas } from "./emit.js";
import { isExclusive } from "./exclusive.js";
import { mapSubschemas, referencesIn, without } from "./schema-walk.js";
import type { Declaration, Shape } from "./shape.js";
import { sorted, tidy } from "./tidy.js";
import { keyedParts, VirtualModule, type Hole } from "./virtual-module.js";

const DRAFT = "http://json-schema.org/draft-07/schema#";
const HOLE = "#/definitions/";

/** Turns shapes into JSON Schemas: all of them are written into one virtual module and given to one generator. */
export class Assembler {
  readonly #module = new VirtualModule();
  readonly #emitted: ReadonlyMap<string, JsonObject>;
  readonly #filled = new Map<string, JsonObject>();
  readonly #keys = new Map<Declaration, string>();
  readonly #declarations = new Map<string, Declaration>();

  /** @param shapes every shape that will be asked for. */
  constructor(shapes: readonly Shape[]) {
    for (const shape of shapes) {
      for (const root of rootShapes(shape)) this.#module.symbolOf(root);
    }
    this.#emitted = emitSchemas(this.#module.text, this.#module.symbols);
  }

  /** The schema of a shape, complete: canonical, with the definitions that it refers to. */
  schemaOf(shape: Shape, options: { readonly mustBeObject?: boolean } = {}): JsonObject {
    const root = this.#root(shape);
    const definitions = this.#reachable(root);
    const settle = (schema: JsonObject, nameOf: (key: string) => string): JsonObject =>
      this.#settle(schema, definitions, nameOf);
    const names = nameDefinitions(definitions, settle);
    const reference = (key: string): string => `#/definitions/${names.get(key) ?? key}`;
    const settled = settle(root, reference);
    const entries = [...definitions].map(
      ([key, { schema }]) => [names.get(key) ?? key, settle(schema, reference)] as const,
    );
    return {
      $schema: DRAFT,
      ...settled,
      ...(options.mustBeObject && { type: "object" }),
      ...(entries.length > 0 && { definitions: Object.fromEntries(entries) }),
    };
  }

  /** A root stands in its own right even where it has a name: a model is shown its members, not a reference. */
  #root(shape: Shape): JsonObject {
    if (shape.tag === "named") return this.#root(shape.declaration.shape);
    if (shape.tag === "documented") return applyDoc(this.#root(shape.shape), shape.doc);
    return this.#schema(shape);
  }

  /** The schema of a shape, with the keys of declarations for references. */
  #schema(shape: Shape): JsonObject {
    const symbol = this.#module.symbolOf(shape);
    const known = this.#filled.get(symbol);
    if (known !== undefined) return known;
    const emitted = this.#emitted.get(symbol);
    if (emitted === undefined) throw new Error(`the shape ${symbol} was not written into the virtual module`);
    const filled = tidy(this.#fill(emitted));
    this.#filled.set(symbol, filled);
    return filled;
  }

  #fill(schema: JsonObject): JsonObject {
    const { $ref: reference, ...beside } = schema;
    if (typeof reference !== "string") {
      return mapSubschemas(without(schema, "definitions"), (inner) => this.#fill(inner));
    }
    const hole = this.#module.hole(reference.slice(HOLE.length));
    if (hole === undefined || Object.keys(beside).length > 0) {
      throw new Error(`typescript-json-schema answered an unexpected reference: ${JSON.stringify(schema)}`);
    }
    return this.#holeSchema(hole);
  }

  #holeSchema(hole: Hole): JsonObject {
    switch (hole.tag) {
      case "pattern":
        return { type: "string", pattern: hole.pattern };
      case "empty-array":
        return { type: "array", maxItems: 0 };
      case "documented":
        return applyDoc(this.#schema(hole.shape), hole.doc);
      case "named":
        return { $ref: this.#keyOf(hole.declaration) };
      case "keyed": {
        const parts = keyedParts(hole.shape);
        if (parts === undefined) throw new Error("an index signature lost its keys");
        const value = this.#schema(parts.value);
        return { ...this.#schema(parts.plain), patternProperties: { [parts.keyPattern]: value } };
      }
    }
  }

  #keyOf(declaration: Declaration): string {
    const known = this.#keys.get(declaration);
    if (known !== undefined) return known;
    const key = `declaration ${this.#keys.size + 1}`;
    this.#keys.set(declaration, key);
    this.#declarations.set(key, declaration);
    return key;
  }

  #reachable(root: JsonObject): ReadonlyMap<string, Definition> {
    const found = new Map<string, Definition>();
    const open = [...referencesIn(root)];
    for (let key = open.pop(); key !== undefined; key = open.pop()) {
      const declaration = this.#declarations.get(key);
      if (declaration === undefined || found.has(key)) continue;
      const schema = this.#schema(declaration.shape);
      found.set(key, { declaration, schema });
      open.push(...referencesIn(schema));
    }
    return found;
  }

  /** A schema in canonical order, its references named and its unions told apart. */
  #settle(
    schema: JsonObject,
    definitions: ReadonlyMap<string, Definition>,
    nameOf: (key: string) => string,
  ): JsonObject {
    const { $ref: reference } = schema;
    if (typeof reference === "string") return { ...schema, $ref: nameOf(reference) };
    const { anyOf, ...rest } = mapSubschemas(schema, (inner) => this.#settle(inner, definitions, nameOf));
    if (!Array.isArray(anyOf)) return rest;
    const alternatives = schema["anyOf"] as readonly JsonObject[];
    const exclusive = isExclusive(alternatives, (alternative) => resolve(alternative, definitions));
    const members = sorted(anyOf as readonly JsonValue[]);
    const [only] = members;
    // Two types that say the same are one alternative.
    if (members.length === 1 && isJsonObject(only)) return { ...only, ...rest };
    return { ...rest, [exclusive && members.length === alternatives.length ? "oneOf" : "anyOf"]: members };
  }
}

function resolve(schema: JsonObject, definitions: ReadonlyMap<string, Definition>): JsonObject {
  const { $ref: reference } = schema;
  return typeof reference === "string" ? (definitions.get(reference)?.schema ?? schema) : schema;
}

/** The shapes that a root is taken from: itself, and what stands behind its name and docs. */
function rootShapes(shape: Shape): readonly Shape[] {
  if (shape.tag === "named") return rootShapes(shape.declaration.shape);
  if (shape.tag === "documented") return rootShapes(shape.shape);
  return [shape];
}
