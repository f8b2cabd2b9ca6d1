import type { Doc } from "./doc.js";

/**
 * A type, normalised: the plain set of JSON values that it stands for. Everything that TypeScript offers to write types with
 * (aliases, generics, mapped and conditional types, intersections, enums) is resolved; what JSON cannot carry never gets here.
 */
export type Shape =
  | { readonly tag: "unknown" }
  | { readonly tag: "string" }
  | { readonly tag: "number" }
  | { readonly tag: "boolean" }
  | { readonly tag: "null" }
  | { readonly tag: "literal"; readonly value: string | number | boolean }
  /** A template literal: the strings that an anchored pattern matches. */
  | { readonly tag: "pattern"; readonly pattern: string }
  | { readonly tag: "array"; readonly item: Shape }
  | { readonly tag: "empty-array" }
  | TupleShape
  | ObjectShape
  | { readonly tag: "union"; readonly members: readonly Shape[] }
  | { readonly tag: "documented"; readonly doc: Doc; readonly shape: Shape }
  | { readonly tag: "named"; readonly declaration: Declaration };

export interface TupleShape {
  readonly tag: "tuple";
  readonly items: readonly Shape[];
  /** How many of the items must be there. */
  readonly required: number;
  /** What may follow the items. */
  readonly rest?: Shape;
}

export interface ObjectShape {
  readonly tag: "object";
  readonly members: readonly Member[];
  /** What other members may be; without it there are none. */
  readonly index?: { readonly value: Shape; readonly keyPattern?: string };
}

export interface Member {
  readonly name: string;
  readonly optional: boolean;
  readonly shape: Shape;
}

/** A type that has a name in the schemas: declared by the author, or recursive. */
export interface Declaration {
  /** What it would be called if no other type in the same schema had that name. */
  readonly baseName: string;
  /** Where it was declared, to order two types of one name: a relative file, a zero-padded position. */
  readonly origin: string;
  /** Set once the type has been walked: a recursive type refers to itself before that. */
  shape: Shape;
}
