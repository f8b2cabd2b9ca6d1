import { ts } from "./typescript.js";
import type { FoundTool } from "./discover.js";
import { specifierOf } from "./source-scan.js";

/** Finds the sources that types are written in: where a name leads to, and where the names in there lead to. */
export class TypeSources {
  readonly #named = new Map<ts.Node, readonly ts.Node[]>();

  /** @param isAuthors whether a node stands in the program's own source rather than in a library. */
  constructor(
    private readonly checker: ts.TypeChecker,
    private readonly isAuthors: (node: ts.Node) => boolean,
  ) {}

  /** The sources that the types of a tool's `call` come from, its own among them. */
  of({ node }: FoundTool): ReadonlySet<ts.SourceFile> {
    const call = node.members.filter((member) => member.name?.getText() === "call");
    const found = new Set<ts.Node>([...(node.heritageClauses ?? []), ...call]);
    const sources = new Set([node.getSourceFile()]);
    for (const next of found) {
      sources.add(next.getSourceFile());
      for (const named of this.#namedIn(next)) found.add(named);
    }
    return sources;
  }

  #namedIn(node: ts.Node): readonly ts.Node[] {
    const known = this.#named.get(node);
    if (known !== undefined) return known;
    const named = new Set<ts.Node>();
    const look = (child: ts.Node): void => {
      for (const declaration of this.#declarationsOf(child)) named.add(declaration);
      ts.forEachChild(child, (inner) => {
        // A body says nothing about types where the type is written down.
        if (inner !== bodyBehindType(child)) look(inner);
      });
    };
    look(node);
    const list = [...named];
    this.#named.set(node, list);
    return list;
  }

  #declarationsOf(node: ts.Node): readonly ts.Node[] {
    const symbol = this.#symbolOf(node);
    if (symbol === undefined) return [];
    const meant = this.#resolved(symbol);
    const isModule = meant.declarations?.some(ts.isSourceFile) ?? false;
    const all = isModule ? this.checker.getExportsOfModule(meant) : [meant];
    return all
      .flatMap((one) => this.#resolved(one).declarations ?? [])
      .filter((declaration) => !ts.isSourceFile(declaration) && this.isAuthors(declaration));
  }

  #symbolOf(node: ts.Node): ts.Symbol | undefined {
    if (ts.isImportTypeNode(node) || ts.isCallExpression(node)) {
      const specifier = specifierOf(node);
      return specifier && this.checker.getSymbolAtLocation(specifier);
    }
    if (!ts.isIdentifier(node)) return undefined;
    if (ts.isShorthandPropertyAssignment(node.parent))
      return this.checker.getShorthandAssignmentValueSymbol(node.parent);
    return isName(node) ? undefined : this.checker.getSymbolAtLocation(node);
  }

  #resolved(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }
}

/** Whether an identifier is the name of a declaration, or of a member of something that another one names. */
function isName(node: ts.Identifier): boolean {
  return (node.parent as { readonly name?: ts.Node }).name === node;
}

function bodyBehindType(node: ts.Node): ts.Node | undefined {
  if (!ts.isFunctionLike(node)) return undefined;
  const isTyped = node.type !== undefined || ts.isConstructorDeclaration(node) || ts.isSetAccessor(node);
  return isTyped ? (node as { readonly body?: ts.Node }).body : undefined;
}
