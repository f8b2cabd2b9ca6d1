import { ts } from "./typescript.js";

/**
 * What a tsconfig.json may say to TypeScript 6 and 7 that the compiler here does not know by that name, and means the same by
 * another one of the same length, so that places in the file stay what they are.
 */
const LATER_VALUES: Readonly<Record<string, (value: string) => string>> = {
  target: (value) => value.replace(/^es2025$/i, "esnext"),
  lib: (value) =>
    value.replace(/^es2025(?=$|\.(?:collection|float16|intl|iterator|promise|regexp)$)/i, "esnext"),
  ignoreDeprecations: (value) => value.replace(/^6\.0$/, "5.0"),
};

/** Options of TypeScript 6 and 7 that change no type. */
const WITHOUT_MEANING: ReadonlySet<string> = new Set([
  "stableTypeOrdering",
  "deduplicatePackages",
  "checkers",
  "builders",
  "singleThreaded",
]);

/** The text of a tsconfig.json in words that the compiler here knows, each at the place where it was. */
export function readableConfig(file: string, text: string): string {
  if (!/es2025|6\.0/i.test(text)) return text;
  const source = ts.parseJsonText(file, text);
  const options = memberOf(source.statements[0]?.expression, "compilerOptions");
  let readable = text;
  for (const [name, translate] of Object.entries(LATER_VALUES)) {
    for (const node of stringsOf(memberOf(options, name))) {
      const translated = translate(node.text);
      if (translated.length !== node.end - node.getStart(source) - 2) continue;
      readable = `${readable.slice(0, node.end - 1 - translated.length)}${translated}${readable.slice(node.end - 1)}`;
    }
  }
  return readable;
}

/** The value of a member of an object in a JSON source. */
export function memberOf(object: ts.Node | undefined, name: string): ts.Expression | undefined {
  if (object === undefined || !ts.isObjectLiteralExpression(object)) return undefined;
  const members = object.properties.filter(
    (member): member is ts.PropertyAssignment =>
      ts.isPropertyAssignment(member) && ts.isStringLiteral(member.name) && member.name.text === name,
  );
  return members.at(-1)?.initializer;
}

/** The strings of a value that is one or a list of them. */
export function stringsOf(value: ts.Expression | undefined): readonly ts.StringLiteral[] {
  if (value === undefined) return [];
  const written = ts.isArrayLiteralExpression(value) ? [...value.elements] : [value];
  return written.filter((node) => ts.isStringLiteral(node));
}

/** Whether all that is wrong is an option that the compiler here does not know and that changes no type. */
export function isWithoutMeaning({ code, file, start, length }: ts.Diagnostic): boolean {
  if (code !== UNKNOWN_OPTION || file === undefined || start === undefined) return false;
  return WITHOUT_MEANING.has(file.text.slice(start + 1, start + (length ?? 0) - 1));
}

const UNKNOWN_OPTION = 5023;

/** Options as TypeScript 6 and 7 complete them: with their defaults where a project says nothing. */
export function withLaterDefaults(options: ts.CompilerOptions): ts.CompilerOptions {
  const { target = ts.ScriptTarget.ESNext } = options;
  const { module = target === ts.ScriptTarget.ES5 ? ts.ModuleKind.CommonJS : ts.ModuleKind.ESNext } = options;
  const moduleResolution = options.moduleResolution ?? resolutionOf(module);
  return changedOptions(options, {
    ...{ strict: true, esModuleInterop: true, allowSyntheticDefaultImports: true, libReplacement: false },
    ...options,
    target,
    module,
    ...(moduleResolution !== undefined && { moduleResolution }),
    ...(options.lib !== undefined && { lib: withIterables(options.lib) }),
    types: typesOf(options),
  });
}

/** Options with some of them changed, and with the file that they stand in, which the compiler hides from a spread. */
export function changedOptions(options: ts.CompilerOptions, changes: ts.CompilerOptions): ts.CompilerOptions {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(options)) as ts.CompilerOptions;
  return Object.assign(copy, changes);
}

function resolutionOf(module: ts.ModuleKind): ts.ModuleResolutionKind | undefined {
  const { CommonJS, ES2015, Preserve, ESNext } = ts.ModuleKind;
  // The others say it themselves, in every version.
  if (module !== CommonJS && module !== Preserve && (module < ES2015 || module > ESNext)) return undefined;
  return ts.ModuleResolutionKind.Bundler;
}

/** From TypeScript 6 on, packages of types count only where they are named, or with `"*"`. */
function typesOf(options: ts.CompilerOptions): string[] {
  const { types = [], ...others } = options;
  if (!types.includes("*")) return types;
  const all = ts.getAutomaticTypeDirectiveNames(others, ts.sys);
  return [...new Set(types.flatMap((name) => (name === "*" ? all : [name])))];
}

/** From TypeScript 6 on, `dom` holds what `dom.iterable` and `dom.asynciterable` held. */
function withIterables(lib: readonly string[]): string[] {
  const more = lib.flatMap((file) => {
    const [, of] = /^lib\.(dom|webworker)\.d\.ts$/.exec(file) ?? [];
    return of === undefined ? [] : [`lib.${of}.iterable.d.ts`, `lib.${of}.asynciterable.d.ts`];
  });
  return [...new Set([...lib, ...more])];
}

/** `"module": "commonjs"` goes together with `"moduleResolution": "bundler"` from TypeScript 6 on. */
export function isLaterPair({ code }: ts.Diagnostic, { module }: ts.CompilerOptions): boolean {
  return code === BUNDLER_NEEDS_ESM && module === ts.ModuleKind.CommonJS;
}

const BUNDLER_NEEDS_ESM = 5095;
