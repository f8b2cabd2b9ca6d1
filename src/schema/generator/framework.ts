import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { ts } from "./typescript.js";

/**
 * Tells the framework's own declarations from others of the same name: by where they are declared, never by name alone.
 * Ours are those in the `contract` folder of a package called `salvor`, whichever copy of it a program uses.
 */
export class Framework {
  readonly #contractFolders = new Map<string, boolean>();

  constructor(private readonly checker: ts.TypeChecker) {}

  /** Whether a node names our declaration of that name, through whatever imports and aliases. */
  names(node: ts.Node, name: string): boolean {
    const symbol = this.checker.getSymbolAtLocation(node);
    if (symbol === undefined) return false;
    if (this.declares(this.resolved(symbol), name)) return true;
    const { symbol: typeSymbol } = this.checker.getTypeAtLocation(node) as { symbol?: ts.Symbol };
    return typeSymbol !== undefined && this.declares(typeSymbol, name);
  }

  /** Whether a symbol is our declaration of that name. */
  declares(symbol: ts.Symbol, name: string): boolean {
    return symbol.name === name && (symbol.declarations ?? []).some((node) => this.isOurs(node));
  }

  /** Whether a node stands in our contract. */
  isOurs(node: ts.Node): boolean {
    const folder = dirname(node.getSourceFile().fileName);
    const known = this.#contractFolders.get(folder);
    if (known !== undefined) return known;
    const answer = isContractFolder(folder);
    this.#contractFolders.set(folder, answer);
    return answer;
  }

  private resolved(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }
}

function isContractFolder(folder: string): boolean {
  const match = /^(.*)\/(?:src|dist)\/contract$/.exec(folder.replaceAll("\\", "/"));
  return match?.[1] !== undefined && packageName(match[1]) === "salvor";
}

function packageName(folder: string): unknown {
  const file = join(existsSync(folder) ? realpathSync(folder) : folder, "package.json");
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, "utf8")) as { name?: unknown }).name;
}
