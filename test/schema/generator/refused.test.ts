import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expectProblems, Program, toolSource } from "./program.js";

/** What is refused: the types, the path at fault, what the message is about. `In` is the input. */
const REFUSED: Readonly<Record<string, readonly [types: string, path: string, about: RegExp]>> = {
  AnyMember: ["type In = { a: any };", "input.a", /any/],
  AnyInside: ["type In = { a: { b: any[] }[] };", "input.a[].b[]", /any/],
  AnyInRecord: ["type In = Record<string, any>;", "input[string]", /any/],
  DateMember: ["type In = { d: Date };", "input.d", /Date/],
  DateOptional: ["type In = { d?: Date | null };", "input.d", /Date/],
  DateInArray: ["type In = { d: Date[] };", "input.d[]", /Date/],
  BigintMember: ["type In = { n: bigint };", "input.n", /bigint/],
  BigintLiteral: ["type In = { n: 10n };", "input.n", /bigint/],
  MapMember: ["type In = { m: Map<string, number> };", "input.m", /Map/],
  SetMember: ["type In = { s: ReadonlySet<string> };", "input.s", /ReadonlySet/],
  TypedArray: ["type In = { u: Float64Array };", "input.u", /Float64Array/],
  Buffers: ["type In = { u: ArrayBuffer };", "input.u", /ArrayBuffer/],
  PromiseMember: ["type In = { p: Promise<string> };", "input.p", /Promise/],
  RegExpMember: ["type In = { r: RegExp };", "input.r", /RegExp/],
  ErrorMember: ["type In = { e: TypeError };", "input.e", /TypeError/],
  Boxed: ["type In = { s: String };", "input.s", /String/],
  IterableMember: ["type In = { i: Iterable<string> };", "input.i", /Iterable/],
  FunctionMember: ["type In = { f: (x: string) => void };", "input.f", /function/],
  FunctionOptional: ["type In = { f?: () => string };", "input.f", /function/],
  FunctionType: ["type In = { f: Function };", "input.f", /Function/],
  Constructor: ["type In = { f: new () => object };", "input.f", /function/],
  Callable: ["type In = { f: { (): void; x: 1 } };", "input.f", /function/],
  Method: ["interface In { m(): void }", "input.m", /method/],
  MethodOptional: ["interface In { m?(): void }", "input.m", /method/],
  Getter: ["class K { get g(): string { return ''; } } type In = { k: K };", "input.k.g", /accessor/],
  Setter: ["interface In { set g(x: string) }", "input.g", /accessor/],
  SymbolMember: ["type In = { s: symbol };", "input.s", /symbol/],
  SymbolKey: ["declare const k: unique symbol; type In = { [k]: string };", "input[k]", /symbol/],
  SymbolIndex: ["type In = { [k: symbol]: string };", "input", /symbol/],
  PrivateMember: ["class K { private a = 1; b = 2 } type In = { k: K };", "input.k.a", /private/],
  ProtectedMember: ["class K { protected a = 1; b = 2 } type In = { k: K };", "input.k.a", /protected/],
  HashMember: ["class K { #a = 1; b = this.#a } type In = { k: K };", 'input.k["#a"]', /private/],
  RestFirst: ["type In = { t: [...number[], string] };", "input.t", /rest/],
  RestMiddle: ["type In = { t: [string, ...number[], string] };", "input.t", /rest/],
  NeverMember: ["type In = { n: never };", "input.n", /never/],
  NeverOptional: ["type In = { n?: never };", "input.n", /never/],
  NeverByIntersection: ["type In = { n: string & number };", "input.n", /never/],
  UndefinedMember: ["type In = { u: undefined };", "input.u", /undefined/],
  UndefinedInArray: ["type In = { u: (string | undefined)[] };", "input.u[]", /undefined/],
  UndefinedInRecord: ["type In = Record<string, undefined>;", "input[string]", /undefined/],
  VoidMember: ["type In = { v: void };", "input.v", /undefined/],
  ObjectKeyword: ["type In = { o: object };", "input.o", /object/],
  Unresolved: ["type In = { n: import('./nowhere.js').Nope };", "input.n", /does not resolve|any/],
  ArrayInput: ["type In = string[];", "input", /object/],
  PrimitiveInput: ["type In = string;", "input", /object/],
  UnionInput: ["type In = { a: string } | string;", "input", /object/],
  NullableInput: ["type In = { a: string } | null;", "input", /object/],
  UnknownInput: ["type In = unknown;", "input", /object/],
  ExtendsArray: ["interface L extends Array<string> {} type In = { l: L };", "input.l", /Array/],
  ExtendsArrayFarUp: [
    "class L extends Array<number> {} interface M extends L { x: 1 } type In = { l: M };",
    "input.l",
    /Array/,
  ],
  ExtendsError: ["class E extends Error {} type In = { e: E };", "input.e", /Error/],
  ExtendsDate: ["interface D extends Date { x: 1 } type In = { d: D };", "input.d", /Date/],
  ExtendsMap: ["class M extends Map<string, string> {} type In = { m: M };", "input.m", /Map/],
  ArrayAndMore: ["type In = { l: string[] & { extra: 1 } };", "input.l", /Array/],
  Contradiction: ['type In = { a: { k: "x" } & { k: "y" } };', "input.a", /never/],
  ContradictoryUnion: [
    'type U = { k: "x" } | { k: "y" }; type In = { a: U & { k: "z" } };',
    "input.a",
    /never/,
  ],
  AbsentButIndexed: [
    "type In = { a?: undefined; [key: string]: string | undefined };",
    "input.a",
    /undefined/,
  ],
  TwoIndexSignatures: [
    "type In = { [k: string]: string | number; [n: number]: string };",
    "input",
    /index signature/,
  ],
  IndexCoversMember: [
    "type In = { 'x-id': string; [k: `x-${string}`]: string };",
    'input["x-id"]',
    /index signature/,
  ],
  IndexAgainstMember: ["type In = { a: number } & Record<string, string>;", "input.a", /index signature/],
  ComputedEnum: ["enum E { A = Math.random(), B = 1 } type In = { e: E };", "input.e", /computed/],
  InfiniteLiteral: ["type In = { n: 1e999 };", "input.n", /Infinity/],
  LoneSurrogate: ["type In = { s: '\\ud800' };", "input.s", /surrogate/],
  ProtoKey: ["type In = { __proto__: string; a: string };", "input.__proto__", /__proto__/],
  StringMapping: ["type In = { u: Uppercase<string> };", "input.u", /Uppercase/],
  TemplateOfMapping: ["type In = { u: `x-${Capitalize<string>}` };", "input.u", /Capitalize/],
  NarrowedPrimitive: ["type In = { s: string & { length: 3 } };", "input.s", /length/],
  Endless: ["type N<T> = { v: T; next?: N<T[]> }; type In = N<string>;", "input.next.next", /levels/],
  ModuleMember: ["type In = { g: typeof globalThis };", "input.g", /module/],
  IntegerInArray: ["type integer = number; type In = { a: integer[] };", "input.a", /integer/],
  IntegerInUnion: ["type integer = number; type In = { a: integer | string };", "input.a", /integer/],
  IntegerInGeneric: [
    "type integer = number; type In = { a: Array<{ b: 1 }>; r: Record<string, integer> };",
    "input.r",
    /integer/,
  ],
  GenericClassMember: [
    "class Box<T> { v!: T; map(): void {} } type In = { b: Box<string> };",
    "input.b.map",
    /method/,
  ],
  LostTags: [
    "/** @minimum 1 */ type N = number; type Box<T> = { v: T }; type In = { b: Box<N> };",
    "input.b",
    /tags of N/,
  ],
  CommentInUnion: ["type In = { s: /** one */ 'a' | /** two */ 'b' };", "input.s", /not attached/],
  CommentAfterMember: ["type In = {\n a: string; /** tail */\n};", "input.a", /not attached/],
  CommentOnSameLine: ["type In = {\n a: string; /** b */ b: string;\n};", "input.b", /not attached/],
  TwoComments: ["type In = {\n /** one */\n /** @minLength 2 */\n a: string;\n};", "input.a", /not attached/],
};

const REFUSED_OUTPUTS: Readonly<Record<string, readonly [output: string, path: string, about: RegExp]>> = {
  AnyOutput: ["any", "output", /any/],
  VoidOutput: ["Promise<void>", "output", /undefined/],
  MaybeOutput: ["Promise<string | undefined>", "output", /undefined/],
  DateOutput: ["Promise<{ at: Date }[]>", "output[].at", /Date/],
  StreamOutput: ["AsyncGenerator<string>", "output", /AsyncGenerator/],
};

describe("what JSON cannot carry, or the generator cannot express, is refused", () => {
  const files: Record<string, string> = {};
  for (const [name, [types]] of Object.entries(REFUSED)) files[`src/${name}.ts`] = toolSource(name, types);
  for (const [name, [output]] of Object.entries(REFUSED_OUTPUTS)) {
    files[`src/${name}.ts`] = toolSource(name, "type In = { a: string };", { output });
  }
  using program = new Program(files);
  // One run: everything that is wrong is reported together.
  const problems = expectProblems(program.generate());
  for (const [name, [, path, about]] of Object.entries({ ...REFUSED, ...REFUSED_OUTPUTS })) {
    it(`${name} at ${path}`, () => {
      const own = problems.filter(({ tool }) => tool === name);
      const found = own.find((problem) => problem.path === path && about.test(problem.message));
      assert.ok(found, JSON.stringify(own, null, 2));
      assert.equal(found.file, `src/${name}.ts`);
      assert.ok((found.line ?? 0) >= 2 && (found.column ?? 0) >= 1);
      assert.match(found.frame ?? "", /\^/);
      assert.ok(found.hint);
    });
  }
});
