import { ts } from "./typescript.js";
import { isEffect, type Effect, EFFECTS } from "../../contract/effect.js";

/** The arguments of `@Tool(effect, options?)`, as far as the schemas need them. */
export interface ToolArguments {
  readonly effect: Effect;
  readonly name?: string;
  readonly description?: string;
}

export type ReportNode = (node: ts.Node, message: string, hint: string) => void;

const OPTIONS = ["name", "description", "idempotencyKey"] as const;
type Option = (typeof OPTIONS)[number];

/** Reads the arguments from the source: they must be literals, since nothing is run. */
export function readToolArguments(call: ts.CallExpression, report: ReportNode): ToolArguments | undefined {
  const [first, second] = call.arguments;
  const effect = effectOf(first, call, report);
  const options = second === undefined ? {} : optionsOf(second, report);
  if (effect === undefined || options === undefined) return undefined;
  const { name, description } = options;
  return { effect, ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
}

function effectOf(
  node: ts.Expression | undefined,
  call: ts.CallExpression,
  report: ReportNode,
): Effect | undefined {
  const text = node === undefined ? undefined : stringOf(node);
  if (text !== undefined && isEffect(text)) return text;
  const found =
    text === undefined ? "the effect of @Tool is not a literal" : `${JSON.stringify(text)} is no effect`;
  report(node ?? call, found, EFFECTS.map((name) => `@Tool("${name}")`).join(", "));
  return undefined;
}

function optionsOf(node: ts.Expression, report: ReportNode): { [option in Option]?: string } | undefined {
  const literal = unwrapped(node);
  if (!ts.isObjectLiteralExpression(literal)) {
    report(
      node,
      "the options of @Tool are not a literal, so they cannot be read",
      '{ name: "..." } written out',
    );
    return undefined;
  }
  const read: { [option in Option]?: string } = {};
  let complete = true;
  for (const property of literal.properties) {
    const name = property.name === undefined ? undefined : nameOf(property.name);
    const option = OPTIONS.find((known) => known === name);
    const text = ts.isPropertyAssignment(property) ? stringOf(property.initializer) : undefined;
    if (option !== undefined && text !== undefined && text.trim() !== "") {
      read[option] = text;
      continue;
    }
    complete = false;
    const what = option ?? name ?? "this option";
    report(
      property,
      option === undefined && name !== undefined
        ? `@Tool has no option "${what}"`
        : `${what} of @Tool is not a text written out, so it cannot be read`,
      option === undefined ? `one of ${OPTIONS.join(", ")}` : `${what}: "..."`,
    );
  }
  return complete ? read : undefined;
}

function nameOf(node: ts.PropertyName): string | undefined {
  return ts.isIdentifier(node) || ts.isStringLiteralLike(node) ? node.text : undefined;
}

/** The text of a string literal, also of several joined with `+`. */
function stringOf(node: ts.Expression): string | undefined {
  const literal = unwrapped(node);
  if (ts.isStringLiteralLike(literal)) return literal.text;
  if (!ts.isBinaryExpression(literal) || literal.operatorToken.kind !== ts.SyntaxKind.PlusToken)
    return undefined;
  const left = stringOf(literal.left);
  const right = stringOf(literal.right);
  return left === undefined || right === undefined ? undefined : left + right;
}

function unwrapped(node: ts.Expression): ts.Expression {
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) {
    return unwrapped(node.expression);
  }
  return node;
}
