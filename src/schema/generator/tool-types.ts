import { ts } from "./typescript.js";
import { detachedInside } from "./detached-comments.js";
import type { Framework } from "./framework.js";
import { hasSchemaTags } from "./read-doc.js";
import type { Reporter } from "./reporter.js";

/** A type with where it was written. */
export interface WrittenType {
  readonly type: ts.Type;
  readonly node?: ts.TypeNode | undefined;
  readonly where: ts.Node;
}

/** What `call` really takes and gives, and what `implements ToolHandler<I, O>` says about it. */
export interface ToolTypes {
  readonly input: WrittenType;
  /** Absent when the tool only ever suspends. */
  readonly output: readonly WrittenType[];
  readonly declared?: { readonly input?: WrittenType; readonly output?: WrittenType };
}

/** Reads a tool's types off its class, or reports why there are none. */
export function toolTypes(
  checker: ts.TypeChecker,
  framework: Framework,
  reporter: Reporter,
  node: ts.ClassLikeDeclaration,
  className: string,
): ToolTypes | undefined {
  const where = node.name ?? node;
  const refuse = (at: ts.Node, message: string, hint: string): ToolTypes | undefined => {
    reporter.at({ path: className, where: at }, message, hint);
    return undefined;
  };
  if ((node.typeParameters?.length ?? 0) > 0) {
    return refuse(
      where,
      "the class is generic: a type parameter has no schema",
      "a class for each concrete type",
    );
  }
  if (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Abstract) {
    return refuse(where, "the class is abstract", "put @Tool on the classes that extend it");
  }
  const method = checker.getPropertyOfType(instanceType(checker, node), "call");
  if (method === undefined) {
    return refuse(where, "the class has no call method", CALL);
  }
  const declaration = method.valueDeclaration;
  const at = declaration?.getSourceFile() === node.getSourceFile() ? declaration : where;
  if (declaration && ts.getCombinedModifierFlags(declaration) & NOT_PUBLIC) {
    return refuse(at, "call is not public", CALL);
  }
  const signatures = checker.getTypeOfSymbol(method).getCallSignatures();
  const [signature] = signatures;
  if (signature === undefined) {
    return refuse(at, "call is no method", CALL);
  }
  if (signatures.length > 1) {
    return refuse(at, "call has overloads, so it has no one input", "a union as the input");
  }
  if ((signature.typeParameters?.length ?? 0) > 0) {
    return refuse(at, "call is generic: a type parameter has no schema", "concrete types");
  }
  const parameter = signature.parameters[1];
  if (parameter === undefined || signature.parameters.length > 2) {
    refuse(at, "call takes two parameters", `${CALL}; input: Record<string, never> when there is none`);
    return;
  }
  const written = parameter.valueDeclaration;
  if (written !== undefined && ts.isParameter(written)) {
    if (written.dotDotDotToken !== undefined) {
      return refuse(at, "call has a rest parameter, so it has no one input", CALL);
    }
    const detached = written.type === undefined ? [] : detachedInside(written.name.end, written.type);
    for (const span of detached) {
      const message = "this doc comment is not attached to anything, so what it says would be lost";
      reporter.atSpan({ path: "input", where: written }, span, message, "put it on the type or on a member");
    }
    if (hasSchemaTags(written)) {
      reporter.at(
        { path: "input", where: written },
        "a schema tag does not apply to a parameter",
        "the tag on a member",
      );
    }
    if (written.questionToken !== undefined || written.initializer !== undefined) {
      reporter.at(
        { path: "input", where: written },
        "the input is always there, so it is not optional",
        "input: T",
      );
    }
  }
  const declared = declaredTypes(checker, framework, node);
  return {
    input: {
      type: checker.getTypeOfSymbol(parameter),
      node:
        written !== undefined && ts.isParameter(written)
          ? sameType(checker, written.type, parameter)
          : undefined,
      where: written?.getSourceFile() === node.getSourceFile() ? written : at,
    },
    output: outputTypes(checker, framework, signature, at),
    ...(declared !== undefined && { declared }),
  };
}

/** What instances of a class are: the type at a class expression is that of the class itself. */
function instanceType(checker: ts.TypeChecker, node: ts.ClassLikeDeclaration): ts.Type {
  const type = checker.getTypeAtLocation(node);
  const symbol = type.getSymbol();
  return symbol === undefined ? type : checker.getDeclaredTypeOfSymbol(symbol);
}

const CALL = "call(ctx: ToolCtx, input: Input): Promise<Output>";
const NOT_PUBLIC = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;

function sameType(
  checker: ts.TypeChecker,
  node: ts.TypeNode | undefined,
  parameter: ts.Symbol,
): ts.TypeNode | undefined {
  if (node === undefined) return undefined;
  return checker.getTypeFromTypeNode(node) === checker.getTypeOfSymbol(parameter) ? node : undefined;
}

/** What a call resolves to: promises awaited, `ToolOutcome` opened, suspensions set aside. */
function outputTypes(
  checker: ts.TypeChecker,
  framework: Framework,
  signature: ts.Signature,
  where: ts.Node,
): readonly WrittenType[] {
  const returned = signature.getReturnType();
  const awaited = checker.getAwaitedType(returned) ?? returned;
  const parts = awaited.isUnion() ? awaited.types : [awaited];
  const isOutcome = (part: ts.Type, name: string): boolean => {
    const symbol = part.getSymbol();
    return symbol !== undefined && framework.declares(symbol, name);
  };
  if (!parts.some((part) => isOutcome(part, "OutputOutcome") || isOutcome(part, "SuspendOutcome"))) {
    return [{ type: awaited, node: awaitedNode(checker, signature, awaited), where }];
  }
  return parts
    .filter((part) => !isOutcome(part, "SuspendOutcome"))
    .flatMap((part) =>
      isOutcome(part, "OutputOutcome") ? checker.getTypeArguments(part as ts.TypeReference) : [part],
    )
    .map((type) => ({ type, where }));
}

/** The node that the output was written with: the return type, or what stands in `Promise<...>`. */
function awaitedNode(
  checker: ts.TypeChecker,
  signature: ts.Signature,
  awaited: ts.Type,
): ts.TypeNode | undefined {
  const declaration = signature.getDeclaration() as ts.SignatureDeclaration | undefined;
  const written = declaration?.type;
  if (written === undefined) return undefined;
  const inner =
    ts.isTypeReferenceNode(written) && written.typeArguments?.length === 1
      ? written.typeArguments[0]
      : written;
  return [written, inner].find((node) => node !== undefined && checker.getTypeFromTypeNode(node) === awaited);
}

function declaredTypes(
  checker: ts.TypeChecker,
  framework: Framework,
  node: ts.ClassLikeDeclaration,
): ToolTypes["declared"] {
  const clauses = (node.heritageClauses ?? []).filter(
    ({ token }) => token === ts.SyntaxKind.ImplementsKeyword,
  );
  const handler = clauses
    .flatMap(({ types }) => [...types])
    .find(({ expression }) =>
      framework.names(
        ts.isPropertyAccessExpression(expression) ? expression.name : expression,
        "ToolHandler",
      ),
    );
  if (handler === undefined) return undefined;
  const [input, output] = (handler.typeArguments ?? []).map((argument) => ({
    type: checker.getTypeFromTypeNode(argument),
    node: argument,
    where: argument,
  }));
  return { ...(input !== undefined && { input }), ...(output !== undefined && { output }) };
}
