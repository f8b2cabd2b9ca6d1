import type { Declaration, Shape } from "./shape.js";

/**
 * The shapes of a program written down as plain TypeScript, in one module that only exists in memory. Each shape stands alone as
 * `interface S1 { v: ... }`; what it refers to is a hole `H1`, filled in afterwards. So no name of the author's, no recursion, no
 * doc comment and no file path reaches the schema generator, which is then asked only what it answers right.
 */
export class VirtualModule {
  readonly #statements: string[] = [];
  readonly #symbols = new Map<Shape, string>();
  readonly #symbolOfText = new Map<string, string>();
  readonly #holes = new Map<string, Hole>();
  readonly #holeNames = new Map<string | Declaration, string>();

  /** The whole text. */
  get text(): string {
    return [...this.#statements, "export {};", ""].join("\n");
  }

  /** The interfaces that hold a shape. */
  get symbols(): readonly string[] {
    return [...this.#symbolOfText.values()];
  }

  /** The interface that holds a shape, written when it is first asked for: one for all shapes that say the same. */
  symbolOf(shape: Shape): string {
    const known = this.#symbols.get(shape);
    if (known !== undefined) return known;
    const text = this.#textOf(shape);
    let name = this.#symbolOfText.get(text);
    if (name === undefined) {
      name = `S${this.#symbolOfText.size + 1}`;
      this.#symbolOfText.set(text, name);
      this.#statements.push(`interface ${name} { v: ${text} }`);
    }
    this.#symbols.set(shape, name);
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
        const parts = keyedParts(shape);
        if (parts !== undefined) {
          const key = `keyed ${this.symbolOf(parts.plain)} ${this.symbolOf(parts.value)} ${parts.keyPattern}`;
          return this.#holeFor(key, { tag: "keyed", shape });
        }
        return this.#objectText(shape);
      }
      case "documented":
        return this.#holeFor(`documented ${this.symbolOf(shape.shape)} ${JSON.stringify(shape.doc)}`, shape);
      case "named":
        return this.#holeFor(shape.declaration, shape);
      case "pattern":
        return this.#holeFor(`pattern ${shape.pattern}`, shape);
      case "empty-array":
        return this.#holeFor(shape.tag, shape);
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

  #holeFor(key: string | Declaration, hole: Hole): string {
    const known = this.#holeNames.get(key);
    if (known !== undefined) return known;
    const name = `H${this.#holes.size + 1}`;
    this.#holeNames.set(key, name);
    this.#holes.set(name, hole);
    this.#statements.push(`interface ${name} { ${name}: null }`);
    if (hole.tag === "named") this.symbolOf(hole.declaration.shape);
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
