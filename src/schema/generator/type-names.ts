import { ts } from "./typescript.js";

/** What a declared type is called in a schema, and what orders it among others of that name. */
export interface TypeName {
  readonly baseName: string;
  readonly origin: string;
}

/** The symbol that an author knows a type by: the alias, else the interface or class. */
export function namingSymbol(type: ts.Type): ts.Symbol | undefined {
  if (type.aliasSymbol !== undefined) return type.aliasSymbol;
  const symbol = type.getSymbol();
  return symbol !== undefined && symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)
    ? symbol
    : undefined;
}

/** `Line`; of a generic instance `Page_Line`. */
export function typeName(
  checker: ts.TypeChecker,
  type: ts.Type,
  fileOf: (node: ts.Node) => string,
): TypeName {
  const symbol = namingSymbol(type);
  const declaration = symbol?.declarations?.[0];
  const args =
    type.aliasSymbol === undefined ? typeArguments(checker, type) : (type.aliasTypeArguments ?? []);
  const parts = [
    plainName(symbol) ?? "Type",
    ...args.map((arg) => argumentName(arg)).filter((part) => part !== ""),
  ];
  return {
    baseName: parts.join("_"),
    origin:
      declaration === undefined ? "" : `${fileOf(declaration)} ${String(declaration.pos).padStart(9, "0")}`,
  };
}

function typeArguments(checker: ts.TypeChecker, type: ts.Type): readonly ts.Type[] {
  const reference = type as ts.TypeReference;
  if (!(type.flags & ts.TypeFlags.Object) || !(reference.objectFlags & ts.ObjectFlags.Reference)) return [];
  // A class has one argument more than it has parameters: its own `this`.
  return checker.getTypeArguments(reference).slice(0, reference.target.typeParameters?.length ?? 0);
}

function argumentName(type: ts.Type): string {
  if (type.flags & ts.TypeFlags.String) return "string";
  if (type.flags & ts.TypeFlags.Number) return "number";
  if (type.flags & ts.TypeFlags.StringLiteral) return plainWord((type as ts.StringLiteralType).value);
  return plainName(namingSymbol(type)) ?? "";
}

function plainName(symbol: ts.Symbol | undefined): string | undefined {
  if (symbol === undefined) return undefined;
  const word = plainWord(symbol.name === "default" ? defaultName(symbol) : symbol.name);
  return word === "" ? undefined : word;
}

function defaultName(symbol: ts.Symbol): string {
  const declaration = symbol.declarations?.[0];
  const name = declaration === undefined ? undefined : ts.getNameOfDeclaration(declaration);
  return name !== undefined && ts.isIdentifier(name) ? name.text : "Default";
}

function plainWord(text: string): string {
  return text.replace(/[^A-Za-z0-9_]|^_+/g, "");
}
