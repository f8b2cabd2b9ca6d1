export interface Right {
  readonly types: string;
  readonly accept: readonly unknown[];
  readonly reject: readonly unknown[];
  /** A tuple that is open at its end is one on purpose; ajv's strictest setting takes it for a mistake. */
  readonly openTuple?: true;
}

const LINE = { sku: "a", count: 1 };

/** What is right: the types, with values of the input that must fit and that must not. */
export const RIGHT: Readonly<Record<string, Right>> = {
  Inline: {
    types: "type In = { a: string; b?: number };",
    accept: [{ a: "x" }, { a: "x", b: 1 }],
    reject: [{}, { a: 1 }, { a: "x", c: 1 }, []],
  },
  Imported: {
    types: 'import type { Line } from "./shared.js"; type In = { l: Line };',
    accept: [{ l: LINE }],
    reject: [{ l: {} }, { l: { ...LINE, x: 1 } }],
  },
  ImportedAs: {
    types: 'import { type Line as L } from "./shared.js"; type In = L;',
    accept: [LINE],
    reject: [{}, { sku: 1, count: 1 }],
  },
  Reexported: {
    types: 'import type { Reexported as R } from "./shared.js"; type In = { l: R[] };',
    accept: [{ l: [LINE] }],
    reject: [{ l: [1] }],
  },
  Namespaced: {
    types: 'import type * as shared from "./shared.js"; type In = { l: shared.Line };',
    accept: [{ l: LINE }],
    reject: [{ l: 1 }],
  },
  Aliased: {
    types: "type A = string; type B = A; type In = { b: B };",
    accept: [{ b: "" }],
    reject: [{ b: 1 }],
  },
  GenericInstance: {
    types:
      "interface Page<T> { items: T[]; next: string | null } type In = { p: Page<{ n: number }>; q: Page<string> };",
    accept: [{ p: { items: [{ n: 1 }], next: null }, q: { items: ["a"], next: "b" } }],
    reject: [{ p: { items: ["a"], next: null }, q: { items: [], next: null } }],
  },
  GenericDefault: {
    types: "type Box<T = string> = { v: T }; type In = Box;",
    accept: [{ v: "" }],
    reject: [{ v: 1 }],
  },
  PickOmit: {
    types:
      'interface O { a: string; b: number; c?: boolean } type In = { p: Pick<O, "a" | "c">; o: Omit<O, "a"> };',
    accept: [{ p: { a: "" }, o: { b: 1, c: true } }],
    reject: [
      { p: { a: "", b: 1 }, o: { b: 1 } },
      { p: { a: "" }, o: { a: "", b: 1 } },
    ],
  },
  PartialRequired: {
    types:
      "interface O { a: string; b?: number } type In = { p: Partial<O>; r: Required<O>; x: Readonly<O> };",
    accept: [{ p: {}, r: { a: "", b: 1 }, x: { a: "" } }],
    reject: [
      { p: {}, r: { a: "" }, x: { a: "" } },
      { p: { a: 1 }, r: { a: "", b: 1 }, x: { a: "" } },
    ],
  },
  Mapped: {
    types:
      'type M = { [K in "a" | "b"]: K }; type N = { [K in keyof M as `x_${K}`]?: M[K] | null }; type In = { m: M; n: N };',
    accept: [{ m: { a: "a", b: "b" }, n: { x_a: null } }],
    reject: [
      { m: { a: "b", b: "b" }, n: {} },
      { m: { a: "a", b: "b" }, n: { a: "a" } },
    ],
  },
  Conditional: {
    types: "type C<T> = T extends string ? { s: T } : { n: T }; type In = { a: C<string>; b: C<number> };",
    accept: [{ a: { s: "" }, b: { n: 1 } }],
    reject: [{ a: { n: 1 }, b: { n: 1 } }],
  },
  KeyofTypeof: {
    types: 'const o = { x: 1, y: "a", z: [true] }; type In = { k: keyof typeof o; o: typeof o };',
    accept: [{ k: "x", o: { x: 2, y: "", z: [] } }],
    reject: [
      { k: "w", o: { x: 2, y: "", z: [] } },
      { k: "x", o: { x: "", y: "", z: [] } },
    ],
  },
  ConstObject: {
    types: 'const o = { mode: "fast", list: ["a", 1] } as const; type In = { o: typeof o };',
    accept: [{ o: { mode: "fast", list: ["a", 1] } }],
    reject: [{ o: { mode: "slow", list: ["a", 1] } }, { o: { mode: "fast", list: ["a"] } }],
  },
  IndexedAccess: {
    types: "interface O { a: { b: string }[] } type In = { v: O['a'][number]['b'] };",
    accept: [{ v: "" }],
    reject: [{ v: 1 }, { v: {} }],
  },
  Unions: {
    types: 'type In = { a: string | number; b: "x" | 1 | true | null; c: string[] | string; d: boolean };',
    accept: [
      { a: 1, b: 1, c: "", d: false },
      { a: "", b: null, c: [""], d: true },
      { a: "", b: true, c: [], d: true },
    ],
    reject: [
      { a: true, b: 1, c: "", d: true },
      { a: 1, b: false, c: "", d: true },
      { a: 1, b: 1, c: [1], d: true },
      { a: 1, b: 1, c: "", d: 1 },
    ],
  },
  Discriminated: {
    types:
      'interface C { kind: "card"; no: string } interface I { kind: "iban" | "bic"; iban: string } type In = { p: C | I; q?: C | I | null };',
    accept: [{ p: { kind: "card", no: "" } }, { p: { kind: "bic", iban: "" }, q: null }],
    reject: [{ p: { kind: "card", iban: "" } }, { p: { kind: "x" } }, { p: { no: "" } }],
  },
  DiscriminatedInput: {
    types: 'type In = { op: "add"; x: number } | { op: "del" };',
    accept: [{ op: "add", x: 1 }, { op: "del" }],
    reject: [{ op: "add" }, { op: "del", x: 1 }, {}],
  },
  Overlapping: {
    types: "type In = { v: { a: string } | { a: string; b: number } };",
    accept: [{ v: { a: "" } }, { v: { a: "", b: 1 } }],
    reject: [{ v: { b: 1 } }, { v: { a: "", b: "" } }],
  },
  Intersections: {
    types: "type A = { a: string }; type B = { b: number }; type In = A & B & { c?: A & { d: true } };",
    accept: [
      { a: "", b: 1 },
      { a: "", b: 1, c: { a: "", d: true } },
    ],
    reject: [{ a: "" }, { a: "", b: 1, c: { a: "" } }, { a: "", b: 1, x: 1 }],
  },
  IntersectionNarrows: {
    types: 'type In = { k: "x" | "y" } & { k: string };',
    accept: [{ k: "x" }],
    reject: [{ k: "z" }],
  },
  IntersectionOfUnions: {
    types: 'type In = ({ t: "a" } | { t: "b" }) & { n: number };',
    accept: [{ t: "a", n: 1 }],
    reject: [{ t: "a" }, { t: "c", n: 1 }],
  },
  Enums: {
    types:
      'enum S { A = "a", B = "b" } enum N { X, Y = 5 } const enum C { Q = "q" } enum One { Only = 7 } type In = { s: S; n: N; c: C; m: S.A; o: One; p?: S | null };',
    accept: [
      { s: "b", n: 0, c: "q", m: "a", o: 7 },
      { s: "a", n: 5, c: "q", m: "a", o: 7, p: null },
    ],
    reject: [
      { s: "A", n: 0, c: "q", m: "a", o: 7 },
      { s: "a", n: 1, c: "q", m: "a", o: 7 },
      { s: "a", n: 0, c: "q", m: "b", o: 7 },
    ],
  },
  Literals: {
    types: "type In = { a: 'it''s'; b: -1.5; c: true };".replace("''", "\\'"),
    accept: [{ a: "it's", b: -1.5, c: true }],
    reject: [
      { a: "its", b: -1.5, c: true },
      { a: "it's", b: 1.5, c: true },
      { a: "it's", b: -1.5, c: false },
    ],
  },
  Templates: {
    types: "type In = { v: `v${number}`; m: `${string}@${string}.com`; u: `${'a' | 'b'}-${bigint}` };",
    accept: [
      { v: "v1.5", m: "x\n@y.com", u: "a--12" },
      { v: "v-3e+21", m: "@.com", u: "b-0" },
    ],
    reject: [
      { v: "v", m: "@.com", u: "a-1" },
      { v: "v1", m: "@xcom", u: "a-1" },
      { v: "v1", m: "@.com", u: "c-1" },
      { v: "v1", m: "@.com", u: "a-1.5" },
    ],
  },
  Records: {
    types:
      'enum E { A = "a" } type In = { s: Record<string, number>; l: Record<"x" | "y", string>; e: Record<E, 1>; n: Record<number, boolean>; t: Record<`x-${string}`, string>; p: Partial<Record<"q", 1>>; none: Record<string, never> };',
    accept: [
      {
        s: { z: 1 },
        l: { x: "", y: "" },
        e: { a: 1 },
        n: { 0: true, "-1.5": false },
        t: { "x-": "" },
        p: {},
        none: {},
      },
    ],
    reject: [
      { s: { z: "" }, l: { x: "", y: "" }, e: { a: 1 }, n: {}, t: {}, p: {}, none: {} },
      { s: {}, l: { x: "" }, e: { a: 1 }, n: {}, t: {}, p: {}, none: {} },
      { s: {}, l: { x: "", y: "" }, e: { a: 1 }, n: { a: true }, t: {}, p: {}, none: {} },
      { s: {}, l: { x: "", y: "" }, e: { a: 1 }, n: {}, t: { y: "" }, p: {}, none: {} },
      { s: {}, l: { x: "", y: "" }, e: { a: 1 }, n: {}, t: {}, p: {}, none: { a: 1 } },
    ],
  },
  IndexSignature: {
    types: "interface In { id: string; [key: string]: string | number }",
    accept: [{ id: "" }, { id: "", x: 1 }],
    reject: [{ x: 1 }, { id: 1 }, { id: "", x: true }],
  },
  InheritedIndex: {
    types: "interface B { [key: string]: unknown } interface In extends B { id: string }",
    accept: [{ id: "", x: [null] }],
    reject: [{ x: 1 }],
  },
  Tuples: {
    types: "type In = { a: [string, number]; b: readonly [x: string, y?: number]; c: []; d: [string?] };",
    accept: [
      { a: ["", 1], b: [""], c: [], d: [] },
      { a: ["", 1], b: ["", 1], c: [], d: [""] },
    ],
    reject: [
      { a: [""], b: [""], c: [], d: [] },
      { a: ["", 1, 1], b: [""], c: [], d: [] },
      { a: ["", 1], b: [], c: [], d: [] },
      { a: ["", 1], b: ["", null], c: [], d: [] },
      { a: ["", 1], b: [""], c: [1], d: [] },
      { a: ["", 1], b: [""], c: [], d: ["", ""] },
    ],
  },
  RestTuples: {
    types:
      "type In = { a: [string, ...number[]]; b: [string, ...string[]]; c: [a?: string, ...rest: boolean[]] };",
    openTuple: true,
    accept: [
      { a: [""], b: [""], c: [] },
      { a: ["", 1, 2], b: ["", ""], c: ["", true, false] },
    ],
    reject: [
      { a: [], b: [""], c: [] },
      { a: ["", ""], b: [""], c: [] },
      { a: [""], b: [], c: [] },
      { a: [""], b: ["", 1], c: [] },
      { a: [""], b: [""], c: ["", ""] },
      { a: [""], b: [""], c: [true] },
    ],
  },
  Arrays: {
    types:
      "type In = { a: string[][]; b: readonly (string | null)[]; c: ReadonlyArray<{ x: 1 }>; d: never[] };",
    accept: [{ a: [[""]], b: [null, ""], c: [{ x: 1 }], d: [] }],
    reject: [
      { a: [""], b: [], c: [], d: [] },
      { a: [], b: [1], c: [], d: [] },
      { a: [], b: [], c: [{}], d: [] },
      { a: [], b: [], c: [], d: [1] },
    ],
  },
  NullableOptional: {
    types: "type In = { a: string | null; b?: string; c?: string | null; d: string | undefined };",
    accept: [{ a: null }, { a: "", b: "", c: null, d: "" }],
    reject: [{}, { a: null, b: null }, { a: null, d: null }],
  },
  Recursive: {
    types: "interface In { v: string; kids: In[]; up?: In | null }",
    accept: [{ v: "", kids: [{ v: "", kids: [], up: null }] }],
    reject: [{ v: "" }, { v: "", kids: [{ v: 1, kids: [] }] }],
  },
  Mutual: {
    types: "interface In { b?: B } interface B { a: In[]; c: C | null } type C = { x: In } | { y: B };",
    accept: [{}, { b: { a: [{}], c: { y: { a: [], c: null } } } }],
    reject: [{ b: { a: [] } }, { b: { a: [1], c: null } }, { b: { a: [], c: { x: {}, y: 1 } } }],
  },
  NumbersAndStrings: {
    types: "type In = { r: Record<string | number, boolean>; i: { [key: string | number]: 1 } };",
    accept: [{ r: { a: true, 1: false }, i: { 0: 1 } }],
    reject: [
      { r: { 1: 1 }, i: {} },
      { r: {}, i: { 0: 2 } },
    ],
  },
  MaybeMembers: {
    types:
      "type In = { r: Partial<Record<string, number>>; u: Record<string, string | undefined>; t: { [key: `x-${string}`]: 1 | undefined } };",
    accept: [{ r: { a: 1 }, u: { a: "" }, t: { "x-": 1 } }],
    reject: [
      { r: { a: null }, u: {}, t: {} },
      { r: {}, u: { a: 1 }, t: {} },
      { r: {}, u: {}, t: { "x-": 2 } },
    ],
  },
  AbsentMembers: {
    types: "type In = { a: string; b?: undefined } | { a: number; c?: undefined };",
    accept: [{ a: "" }, { a: 1 }],
    reject: [{ a: "", b: null }, { a: 1, c: null }, {}],
  },
  NotInferred: {
    types: "type In = { a: NoInfer<string>; b: NoInfer<{ x: 1 }>; c?: NoInfer<'p' | 'q'>[] };",
    accept: [{ a: "", b: { x: 1 }, c: ["p"] }],
    reject: [
      { a: 1, b: { x: 1 } },
      { a: "", b: {} },
      { a: "", b: { x: 1 }, c: ["r"] },
    ],
  },
  ContradictoryParts: {
    types:
      'type U = { k: "a"; x: 1 } | { k: "b"; y: 2 }; type In = { v: U & { k: "a" }; w: (U & { k: "b" }) | null };',
    accept: [
      { v: { k: "a", x: 1 }, w: { k: "b", y: 2 } },
      { v: { k: "a", x: 1 }, w: null },
    ],
    reject: [
      { v: { k: "b", y: 2 }, w: null },
      { v: {}, w: null },
      { v: { k: "a", x: 1 }, w: {} },
    ],
  },
  DocTags: {
    types: `interface In {
  /** How many.
   * @minimum 1
   * @maximum 9
   * @multipleOf 2
   * @default 4
   * @examples [2, 4]
   * @title Count
   * @deprecated */
  n: number;
  /** @exclusiveMinimum 0
   * @exclusiveMaximum 1 */
  x?: number;
  /** @minLength 2
   * @maxLength 4
   * @pattern ^a */
  s?: string;
  /** @format date */
  d?: string;
  /** @minItems 1
   * @maxItems 2
   * @uniqueItems true
   * @items.minimum 3 */
  l?: number[];
  /** @integer */
  i?: number;
  /** @asType integer */
  j?: number | null;
  /** @TJS-type integer */
  k?: number;
}`,
    accept: [
      { n: 2, x: 0.5, s: "ab", d: "2026-01-31", l: [3, 4], i: 1, j: null, k: -2 },
      { n: 8, l: [3], j: 4 },
    ],
    reject: [
      { n: 0 },
      { n: 10 },
      { n: 3 },
      { n: 2, x: 0 },
      { n: 2, x: 1 },
      { n: 2, s: "a" },
      { n: 2, s: "abcde" },
      { n: 2, s: "ba" },
      { n: 2, d: "today" },
      { n: 2, l: [] },
      { n: 2, l: [3, 4, 5] },
      { n: 2, l: [3, 3] },
      { n: 2, l: [2] },
      { n: 2, i: 1.5 },
      { n: 2, j: 1.5 },
      { n: 2, k: 1.5 },
    ],
  },
  MaybeValues: {
    types: "type In = Record<string, string | undefined>;",
    accept: [{}, { a: "" }],
    reject: [{ a: null }, { a: 1 }],
  },
  RecursiveJson: {
    types:
      "type Json = string | number | boolean | null | Json[] | { [key: string]: Json }; type In = { j: Json; o?: Json };",
    accept: [{ j: [1, { a: [null] }] }, { j: "", o: { x: true } }],
    reject: [{}],
  },
  RecursiveArray: {
    types: "type L = L[]; type In = { l: L };",
    accept: [{ l: [[], [[]]] }],
    reject: [{ l: [1] }, { l: {} }],
  },
  RecursiveGeneric: {
    types: "interface Node<T> { v: T; next?: Node<T> } type In = Node<string>;",
    accept: [{ v: "", next: { v: "" } }],
    reject: [{ v: "", next: { v: 1 } }],
  },
  RecursiveMapped: {
    types:
      "interface T { a: string; sub: T } type Deep<X> = { [K in keyof X]?: X[K] extends object ? Deep<X[K]> : X[K] }; type In = Deep<T>;",
    accept: [{}, { sub: { sub: { a: "" } } }],
    reject: [{ a: 1 }, { sub: { sub: { a: 1 } } }],
  },
  Unknown: {
    types: "type In = { u: unknown; v?: unknown; w: unknown[] };",
    accept: [
      { u: null, w: [1, {}] },
      { u: {}, v: 1, w: [] },
    ],
    reject: [{ u: 1, w: {} }],
  },
  Brands: {
    types:
      "declare const b: unique symbol; type Id = string & { readonly [b]: 'Id' }; type Cents = number & { __cents?: never }; type Flag = boolean & { __f: 1 }; type In = { id: Id; ids: Id[]; c?: Cents; n: Id | null; f: Flag; any: 'a' | (string & {}) };",
    accept: [{ id: "", ids: [""], n: null, f: true, any: "z" }],
    reject: [
      { id: {}, ids: [], n: null, f: true, any: "" },
      { id: "", ids: [1], n: null, f: true, any: "" },
      { id: "", ids: [], c: "", n: null, f: true, any: "" },
    ],
  },
  BrandedLiteral: {
    types: "type T = `t_${string}` & { __t: 1 }; type In = { t: T; l: 'x' & { __l: 1 } };",
    accept: [{ t: "t_1", l: "x" }],
    reject: [
      { t: "1", l: "x" },
      { t: "t_", l: "y" },
    ],
  },
  DataClass: {
    types:
      "class P { readonly tags: string[] = []; note?: string; constructor(public name: string) {} static make = 1; } class Q extends P { extra = 1 } type In = { p: P; q: Q };",
    accept: [{ p: { name: "", tags: [] }, q: { name: "", tags: [], extra: 2 } }],
    reject: [
      { p: { name: "" }, q: { name: "", tags: [], extra: 2 } },
      { p: { name: "", tags: [], make: 1 }, q: { name: "", tags: [], extra: 2 } },
    ],
  },
  Inherited: {
    types: "interface A { a: string } interface B { b?: number } interface In extends A, B { c: true }",
    accept: [
      { a: "", c: true },
      { a: "", b: 1, c: true },
    ],
    reject: [{ c: true }, { a: "", c: false }],
  },
  Merged: {
    types: "interface In { a: string } interface In { b: number }",
    accept: [{ a: "", b: 1 }],
    reject: [{ a: "" }],
  },
  Utilities: {
    types:
      "type F = (x: number, y: string) => Promise<{ r: string }>; type In = { a: Exclude<'a' | 'b', 'a'>; b: Extract<string | 1, string>; c: NonNullable<string | null>; d: Parameters<F>; e: Awaited<ReturnType<F>> };",
    accept: [{ a: "b", b: "", c: "", d: [1, ""], e: { r: "" } }],
    reject: [
      { a: "a", b: "", c: "", d: [1, ""], e: { r: "" } },
      { a: "b", b: 1, c: "", d: [1, ""], e: { r: "" } },
      { a: "b", b: "", c: null, d: [1, ""], e: { r: "" } },
      { a: "b", b: "", c: "", d: [""], e: { r: "" } },
    ],
  },
  HostileNames: {
    types:
      'type In = { constructor: string; toString: number; valueOf?: boolean; hasOwnProperty: 1; $ref: string; "": null; "a b/c~d%": 1; properties: { enum: 2 }; type: "object" };',
    accept: [
      {
        constructor: "",
        toString: 1,
        hasOwnProperty: 1,
        $ref: "",
        "": null,
        "a b/c~d%": 1,
        properties: { enum: 2 },
        type: "object",
      },
    ],
    reject: [
      {
        toString: 1,
        hasOwnProperty: 1,
        $ref: "",
        "": null,
        "a b/c~d%": 1,
        properties: { enum: 2 },
        type: "object",
      },
      {
        constructor: "",
        toString: 1,
        hasOwnProperty: 1,
        $ref: "",
        "": null,
        "a b/c~d%": 1,
        properties: { enum: 3 },
        type: "object",
      },
    ],
  },
  HostileTypeNames: {
    types:
      "interface __proto__ { a: __proto__ | null } interface constructor { b?: constructor } interface Über { c?: Über } interface S1 { d?: S1 } interface Array2 { e: 1 } type In = { p: __proto__; c: constructor; u: Über; s: S1; i: Array2 };",
    accept: [{ p: { a: { a: null } }, c: { b: {} }, u: { c: {} }, s: { d: {} }, i: { e: 1 } }],
    reject: [
      { p: { a: 1 }, c: {}, u: {}, s: {}, i: { e: 1 } },
      { p: { a: null }, c: {}, u: { c: 1 }, s: {}, i: { e: 1 } },
    ],
  },
  UserTypesNamedLikeOurs: {
    types:
      "interface integer { z: string } interface Tool2 { t: 1 } class Map2 { m!: 1 } type In = { i: integer; t: Tool2; m: Map2 };",
    accept: [{ i: { z: "" }, t: { t: 1 }, m: { m: 1 } }],
    reject: [{ i: 1, t: { t: 1 }, m: { m: 1 } }],
  },
  Empty: {
    types: "type In = { a: {}; b: { c?: string } };",
    accept: [{ a: {}, b: {} }],
    reject: [
      { a: { x: 1 }, b: {} },
      { a: 1, b: {} },
    ],
  },
  NoInput: { types: "type In = Record<string, never>;", accept: [{}], reject: [{ a: 1 }, []] },
};

const SHARED = `export interface Line { sku: string; count: number }
export type { Line as Reexported } from "./elsewhere.js";
`;

/** The files that the types above import. */
export const IMPORTED: Readonly<Record<string, string>> = {
  "src/shared.ts": SHARED,
  "src/elsewhere.ts": "export interface Line { sku: string; count: number }\n",
};
