import { ts } from "./typescript.js";
import { applicable } from "./applicable.js";
import { isAuthorsSource } from "./author-source.js";
import { detachedInside } from "./detached-comments.js";
import { isEmptyDoc, mergeDocs, type Doc } from "./doc.js";
import { followNode, type Followed } from "./follow-node.js";
import { reportDetached } from "./member-shapes.js";
import { arrayShape, objectShape } from "./object-shape.js";
import { plainShape } from "./plain-shape.js";
import { readDoc } from "./read-doc.js";
import { insteadOf } from "./refusals.js";
import { relativePosix } from "./problem.js";
import type { Place, Reporter } from "./reporter.js";
import type { Declaration, Shape } from "./shape.js";
import { namingSymbol, typeName } from "./type-names.js";
import { unionShape } from "./union-shape.js";

/** Where a type stands, with the node that it was written as, when there is one that says the same. */
export interface TypePlace extends Place {
  readonly node?: ts.TypeNode | undefined;
  /** Whether the type is all that a member's declaration says. */
  readonly direct?: boolean;
  /** Whether `undefined` says that the value may be left out: it does in a member, and nowhere else. */
  readonly optional?: boolean;
}

/** A value that doc tags were written for and that they must fit: judged once the schemas stand. */
export interface DocCheck {
  readonly place: Place;
  readonly doc: Doc;
  readonly shape: Shape;
  readonly tool: string | undefined;
}

/** Stands in for what was refused, so that the walk goes on and finds everything that is wrong. */
export const REFUSED: Shape = { tag: "unknown" };

const DEEPEST = 50;
const STRUCTURED = ts.TypeFlags.Union | ts.TypeFlags.Object | ts.TypeFlags.Intersection;

/** Turns the checker's types into {@link Shape}s, or reports why it cannot be done. One for all tools of a program. */
export class Normaliser {
  readonly checks: DocCheck[] = [];
  readonly #declared = new Map<ts.Type, Declaration>();
  readonly #walking = new Map<ts.Type, { declaration?: Declaration }>();
  #tool: string | undefined;
  /** Whether the tool's types turned out to have no end: then the walk must not go down every other way as well. */
  #endless = false;

  constructor(
    readonly program: ts.Program,
    readonly checker: ts.TypeChecker,
    readonly reporter: Reporter,
  ) {}

  about(tool: string | undefined): void {
    this.#tool = tool;
    this.#endless = false;
    this.reporter.about(tool);
  }

  /** The shape of a type. */
  visit(type: ts.Type, place: TypePlace): Shape {
    // `NoInfer<T>` is `T` once nothing is inferred any more.
    if (type.flags & ts.TypeFlags.Substitution)
      return this.visit((type as ts.SubstitutionType).baseType, place);
    const { kept, parts } = this.#withoutUndefined(type, place);
    const followed = followNode(this, kept, place);
    const here = { path: place.path, where: place.where, node: followed.node };
    const shape =
      parts === undefined ? this.#shapeOf(kept, here) : unionShape(this, type as ts.UnionType, here, parts);
    return this.documented(shape, followed, place);
  }

  /**
   * A type without `undefined`, where that only says that the value may be left out: the one type that is left, or the parts of
   * a union that has no type of its own.
   */
  #withoutUndefined(
    type: ts.Type,
    place: TypePlace,
  ): { readonly kept: ts.Type; readonly parts?: readonly ts.Type[] } {
    if (place.optional !== true || !type.isUnion() || !type.types.some(isUndefined)) return { kept: type };
    const parts = type.types.filter((part) => !isUndefined(part));
    const [only] = parts;
    if (parts.length === 1 && only !== undefined) return { kept: only };
    const written = place.node === undefined ? undefined : this.checker.getTypeFromTypeNode(place.node);
    const isWritten =
      written?.isUnion() && written.types.length === parts.length && !written.types.some(isUndefined);
    return isWritten ? { kept: written } : { kept: type, parts };
  }

  /** What stands in for a type that was refused already. */
  refused(): Shape {
    return REFUSED;
  }

  /** A shape with what docs say about it, once it is clear that they can say it. */
  documented(shape: Shape, { docs }: Pick<Followed, "docs">, place: Place): Shape {
    if (shape.tag === "documented") return this.documented(shape.shape, { docs: [...docs, shape] }, place);
    let merged: Doc | undefined;
    for (const { doc } of docs) {
      const next = merged === undefined ? doc : mergeDocs(merged, doc);
      if ("conflict" in next) {
        this.reporter.at(
          place,
          `two doc comments give different values for @${next.conflict}`,
          "keep one of them",
        );
        return shape;
      }
      merged = next;
    }
    if (merged === undefined || isEmptyDoc(merged) || shape === REFUSED) return shape;
    const misplaced = applicable(merged, shape);
    for (const { message, hint } of misplaced) this.reporter.at(place, message, hint);
    if (misplaced.length > 0) return shape;
    const documented: Shape = { tag: "documented", doc: merged, shape };
    if (merged.default !== undefined || merged.examples !== undefined) {
      this.checks.push({ place, doc: merged, shape: documented, tool: this.#tool });
    }
    return documented;
  }

  /** Refuses a type, and answers what stands in for it. */
  refuse(place: Place, message: string, hint: string): Shape {
    this.reporter.at(place, message, hint);
    return REFUSED;
  }

  /** Reads a declaration's docs, reporting what is wrong with them where they stand. */
  docOf(node: ts.Node, place: Place): Doc {
    return readDoc(node, (tag, message, hint) => {
      const where = this.isAuthors(tag) ? tag : place.where;
      this.reporter.at({ path: place.path, where }, message, hint);
    });
  }

  /** Whether a node stands in the program's own source rather than in a library. */
  isAuthors(node: ts.Node): boolean {
    return isAuthorsSource(this.program, node.getSourceFile());
  }

  /** Whether a symbol is one of the standard library's. */
  isStandard(symbol: ts.Symbol): boolean {
    const declarations = symbol.declarations ?? [];
    return declarations.some((node) => this.program.isSourceFileDefaultLibrary(node.getSourceFile()));
  }

  #shapeOf(type: ts.Type, place: TypePlace): Shape {
    const plain = plainShape(this, type, place);
    if (plain !== undefined) return plain;
    if (type.flags & STRUCTURED) return this.#walk(type, place);
    return this.refuse(
      place,
      `${this.checker.typeToString(type)} depends on a type parameter, so it is generic and no one type`,
      "a concrete type",
    );
  }

  /** Types that may contain themselves: walked once, named when the author named them or when they are recursive. */
  #walk(type: ts.Type, place: TypePlace): Shape {
    const known = this.#declared.get(type);
    if (known !== undefined) return { tag: "named", declaration: known };
    const above = this.#walking.get(type);
    if (above !== undefined)
      return { tag: "named", declaration: (above.declaration ??= this.#declare(type)) };
    if (this.#endless) return REFUSED;
    if (this.#walking.size >= DEEPEST) {
      this.#endless = true;
      const start = place.path
        .split(/(?=[.[])/)
        .slice(0, 3)
        .join("");
      return this.refuse(
        { ...place, path: start },
        `the type goes on for more than ${DEEPEST} levels`,
        "a type that ends",
      );
    }
    const state: { declaration?: Declaration } = this.#isNamed(type)
      ? { declaration: this.#declare(type) }
      : {};
    this.#walking.set(type, state);
    let shape = this.#structure(type, place);
    this.#walking.delete(type);
    if (state.declaration === undefined) return shape;
    if (shape !== REFUSED)
      shape = this.documented(shape, { docs: this.#declarationDocs(type, place) }, place);
    if (isPrimitive(shape)) return shape;
    state.declaration.shape = shape;
    this.#declared.set(type, state.declaration);
    return { tag: "named", declaration: state.declaration };
  }

  #structure(type: ts.Type, place: TypePlace): Shape {
    if (type.flags & ts.TypeFlags.Union) return unionShape(this, type as ts.UnionType, place);
    if (this.checker.isArrayType(type) || this.checker.isTupleType(type)) {
      return arrayShape(this, type as ts.TypeReference, place);
    }
    return objectShape(this, type, place);
  }

  /** Interfaces, classes and the author's aliases of object types have a name of their own in a schema. */
  #isNamed(type: ts.Type): boolean {
    if (type.flags & ts.TypeFlags.Union) return false;
    if (this.checker.isArrayType(type) || this.checker.isTupleType(type)) return false;
    const symbol = namingSymbol(type);
    return symbol !== undefined && !this.isStandard(symbol);
  }

  #declare(type: ts.Type): Declaration {
    const name = typeName(this.checker, type, (node) =>
      relativePosix(this.reporter.root, node.getSourceFile().fileName),
    );
    return { ...name, shape: REFUSED };
  }

  #declarationDocs(type: ts.Type, place: Place): Followed["docs"] {
    const symbol = namingSymbol(type);
    if (symbol === undefined || this.isStandard(symbol)) return [];
    return (symbol.declarations ?? []).map((node) => {
      if (ts.isTypeAliasDeclaration(node) && this.isAuthors(node)) {
        reportDetached(this, node, detachedInside(node.name.end, node.type), place);
      }
      return { doc: this.docOf(node, place) };
    });
  }

  /** Whether no value is of an intersection, since its parts contradict each other. */
  isImpossible(type: ts.Type): boolean {
    return type.isIntersection() && this.checker.isTypeAssignableTo(type, this.checker.getNeverType());
  }

  refuseNever(place: Place): Shape {
    return this.refuse(place, "never has no value, so nothing could be given here", "leave it out");
  }

  /** Refuses a type of the standard library by name. */
  refuseStandard(name: string, place: Place, how: "is" | "extends"): Shape {
    const message =
      how === "is" ? `${name} is not JSON` : `a type that extends ${name} is not plain JSON data`;
    return this.refuse(place, message, insteadOf(name));
  }
}

function isUndefined(type: ts.Type): boolean {
  return (type.flags & ts.TypeFlags.Undefined) !== 0;
}

/** Whether a type turned out to be a branded primitive, which has no name in a schema. */
function isPrimitive(shape: Shape): boolean {
  if (shape.tag === "documented") return isPrimitive(shape.shape);
  return shape.tag !== "object" && shape.tag !== "union" && shape.tag !== "array" && shape.tag !== "tuple";
}
