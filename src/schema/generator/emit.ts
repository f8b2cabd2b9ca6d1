import { getDefaultArgs, JsonSchemaGenerator, ts } from "typescript-json-schema";
import type { JsonObject } from "../../contract/json.js";

const FILE = "/schemas.ts";
const LIB = "/lib.d.ts";
/** As much of a standard library as the compiler asks for: nothing in the virtual module needs more. */
const LIB_TEXT = [
  "interface Array<T> { length: number; [index: number]: T }",
  "interface ReadonlyArray<T> { readonly length: number; readonly [index: number]: T }",
  ...[
    "Boolean",
    "CallableFunction",
    "Function",
    "IArguments",
    "NewableFunction",
    "Number",
    "Object",
    "RegExp",
    "String",
  ].map((name) => `interface ${name} {}`),
].join("\n");

/**
 * The JSON Schemas of the interfaces of a virtual module, by name, as typescript-json-schema has them: one program and one
 * generator for all.
 */
export function emitSchemas(text: string, symbols: readonly string[]): ReadonlyMap<string, JsonObject> {
  const program = virtualProgram(text);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(FILE);
  const types: Record<string, ts.Type> = {};
  const userSymbols: Record<string, ts.Symbol> = {};
  const references: ConstructorParameters<typeof JsonSchemaGenerator>[0] = [];
  for (const statement of source?.statements ?? []) {
    if (!ts.isInterfaceDeclaration(statement)) continue;
    const { text: name } = statement.name;
    const type = checker.getTypeAtLocation(statement);
    const symbol = type.getSymbol();
    if (symbol === undefined) continue;
    types[name] = type;
    userSymbols[name] = symbol;
    references.push({ name, typeName: name, fullyQualifiedName: name, symbol });
  }
  const generator = new JsonSchemaGenerator(references, types, userSymbols, {}, checker, {
    ...getDefaultArgs(),
    noExtraProps: true,
    required: true,
    strictNullChecks: true,
    ignoreErrors: true,
  });
  return new Map(symbols.map((name) => [name, held(name, generator.getSchemaForSymbol(name))]));
}

function held(name: string, schema: unknown): JsonObject {
  const { properties } = schema as { properties?: { v?: JsonObject } };
  if (properties?.v === undefined) throw new Error(`typescript-json-schema lost the type ${name}`);
  return properties.v;
}

function virtualProgram(text: string): ts.Program {
  const files = new Map([
    [FILE, ts.createSourceFile(FILE, text, ts.ScriptTarget.ES2022, true)],
    [LIB, ts.createSourceFile(LIB, LIB_TEXT, ts.ScriptTarget.ES2022, true)],
  ]);
  const host: ts.CompilerHost = {
    fileExists: (file) => files.has(file),
    getSourceFile: (file) => files.get(file),
    readFile: (file) => files.get(file)?.text,
    getDefaultLibFileName: () => LIB,
    getCurrentDirectory: () => "/",
    getCanonicalFileName: (file) => file,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
    writeFile: () => undefined,
  };
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    types: [],
  };
  const program = ts.createProgram([FILE], options, host);
  const [first] = [
    ...program.getSyntacticDiagnostics(),
    ...program.getSemanticDiagnostics(),
    ...program.getGlobalDiagnostics(),
  ];
  if (first === undefined) return program;
  const message = ts.flattenDiagnosticMessageText(first.messageText, "\n");
  throw new Error(`the normalised types do not compile, which is a fault in salvor: ${message}`);
}
