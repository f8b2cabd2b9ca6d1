import type { Declaration, Shape } from "./shape.js";

/**
 * The shapes of a program written down as plain TypeScript, in one module that only exists in memory. Each shape stands alone as
 * `interface S1 { v: ... }`; what it refers to is a hole `H1`, filled in afterwards. So no name of the author's, no recursion, no
 * doc comment and no file path reaches the schema generator, which is then asked only what it answers right.
 */
export class VirtualModule {
  readonly #statements: string[] = [];
  readonly #symbols = new Map<Shape, string>();
  readonly #holes = new Map<string, Hole>();
  readonly #holeNames = new Map<Shape | Declaration, string>();

  /** The whole text. */
  get text(): string {
    return [...this.#statements, "export {};", ""].join("\n");
  }

  /** The interfaces that hold a shape. */
  get symbols(): readonly string[] {
    return [...this.#symbols.values()];
  }

  /** The interface that holds a shape, written when it is first asked for. */
  symbolOf(shape: Shape): string {
    const known = this.#symbols.get(shape);
    if (known !== undefined) return known;
    const name = `S${this.#symbols.size + 1}`;
    this.#symbols.set(shape, name);
    const text = this.#textOf(shape);
    this.#statements.push(`interface ${name} { v: ${text} }`);
    return name;
  }

  /** What a hole stands for. */
  hole(name: string): Hole | undefined {
    return this.#holes.get(name);
  }

  #textOf(shape: Shape): string {
    switch (shape.tag) {
      case "literal":
        return typeof shape.value === "string" ? JSON.stringify(shape.value) : String(shape.value);
      case "array":
        return `(${this.#textOf(shape.item)})[]`;
      case "tuple":
        return this.#tupleText(
          shape.items.map((item) => this.#textOf(item)),
          shape.required,
          shape.rest,
        );
      case "union":
        return shape.members.map((member) => this.#textOf(member)).join(" | ");
      case "object": {
        if (shape.index?.keyPattern !== undefined) return this.#holeFor(shape, { tag: "keyed", shape });
        return this.#objectText(shape);
      }
      case "documented":
        return this.#holeFor(shape, { tag: "documented", doc: shape.doc, shape: shape.shape });
      case "named":
        return this.#holeFor(shape.declaration, shape);
      case "pattern":
      case "empty-array":
        return this.#holeFor(shape, shape);
      default:
        return shape.tag;
    }
  }

  /** The text of an object, with whatever keys its index signature has written as strings. */
  #objectText(shape: Extract<Shape, { tag: "object" }>): string {
    const members = shape.members.map(
      ({ name, optional, shape: type }) =>
        `${JSON.stringify(name)}${optional ? "?" : ""}: ${this.#textOf(type)};`,
    );
    if (shape.index !== undefined && shape.index.keyPattern === undefined) {
      members.push(`[key: string]: ${this.#textOf(shape.index.value)};`);
    }
    return members.length === 0 ? "{}" : `{ ${members.join(" ")} }`;
  }

  #tupleText(items: readonly string[], required: number, rest: Shape | undefined): string {
    const parts = items.map((item, at) => (at < required ? `(${item})` : `(${item})?`));
    if (rest !== undefined) parts.push(`...(${this.#textOf(rest)})[]`);
    return `[${parts.join(", ")}]`;
  }

  #holeFor(key: Shape | Declaration, hole: Hole): string {
    const known = this.#holeNames.get(key);
    if (known !== undefined) return known;
    const name = `H${this.#holes.size + 1}`;
    this.#holeNames.set(key, name);
    this.#holes.set(name, hole);
    this.#statements.push(`interface ${name} { ${name}: null }`);
    for (const inner of innerShapes(hole)) this.symbolOf(inner);
    return name;
  }
}

/** What is left out of the text of a shape and filled in afterwards. */
export type Hole =
  | Extract<Shape, { tag: "documented" | "named" | "pattern" | "empty-array" }>
  | { readonly tag: "keyed"; readonly shape: Extract<Shape, { tag: "object" }> };

/** An object whose index signature has keys of a pattern, without the signature, and the signature's values. */
export function keyedParts(shape: Extract<Shape, { tag: "object" }>): KeyedParts | undefined {
  if (shape.index?.keyPattern === undefined) return undefined;
  const known = KEYED.get(shape);
  if (known !== undefined) return known;
  const parts: KeyedParts = {
    plain: { tag: "object", members: shape.members },
    value: shape.index.value,
    keyPattern: shape.index.keyPattern,
  };
  KEYED.set(shape, parts);
  return parts;
}

interface KeyedParts {
  readonly plain: Shape;
  readonly value: Shape;
  readonly keyPattern: string;
}

// Shapes are told apart by identity, so the parts of one are made once.
const KEYED = new WeakMap<Shape, KeyedParts>();

function innerShapes(hole: Hole): readonly Shape[] {
  if (hole.tag === "documented") return [hole.shape];
  if (hole.tag === "named") return [hole.declaration.shape];
  if (hole.tag !== "keyed") return [];
  const parts = keyedParts(hole.shape);
  return parts === undefined ? [] : [parts.plain, parts.value];
}
