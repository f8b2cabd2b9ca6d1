import type { JsonValue } from "../../contract/json.js";

/** The tags that narrow what a value may be, with the kind of value that they narrow. */
export const CONSTRAINTS = {
  minimum: "number",
  maximum: "number",
  exclusiveMinimum: "number",
  exclusiveMaximum: "number",
  multipleOf: "number",
  integer: "number",
  minLength: "string",
  maxLength: "string",
  pattern: "string",
  format: "string",
  minItems: "array",
  maxItems: "array",
  uniqueItems: "array",
} as const;

export type ConstraintName = keyof typeof CONSTRAINTS;
export type Constraints = { readonly [name in ConstraintName]?: JsonValue };

/** What a doc comment says about a type or a member, read and checked. Values are JSON; nothing in it is ever evaluated. */
export interface Doc {
  readonly description?: string;
  readonly title?: string;
  readonly deprecated?: true;
  readonly default?: JsonValue;
  readonly examples?: readonly JsonValue[];
  readonly constraints: Constraints;
  /** Constraints on the items of an array: `@items.minimum 0`. */
  readonly items: Constraints;
}

export const EMPTY_DOC: Doc = { constraints: {}, items: {} };

/** Whether a doc says nothing at all. */
export function isEmptyDoc(doc: Doc): boolean {
  return !hasTags(doc) && doc.description === undefined;
}

/** Whether a doc has tags, which must not be lost; a description may be. */
export function hasTags(doc: Doc): boolean {
  return (
    doc.title !== undefined ||
    doc.deprecated !== undefined ||
    doc.default !== undefined ||
    doc.examples !== undefined ||
    Object.keys(doc.constraints).length > 0 ||
    Object.keys(doc.items).length > 0
  );
}

/**
 * Two docs about one value, that of the member first.
 * Answers the name of a tag that both carry with different values in place of the doc: which of the two holds is not for us to guess.
 */
export function mergeDocs(own: Doc, inherited: Doc): Doc | { readonly conflict: string } {
  for (const part of ["constraints", "items"] as const) {
    for (const name of Object.keys(inherited[part]) as ConstraintName[]) {
      const mine = own[part][name];
      if (mine !== undefined && JSON.stringify(mine) !== JSON.stringify(inherited[part][name])) {
        return { conflict: part === "items" ? `items.${name}` : name };
      }
    }
  }
  return {
    ...inherited,
    ...own,
    constraints: { ...inherited.constraints, ...own.constraints },
    items: { ...inherited.items, ...own.items },
  };
}
