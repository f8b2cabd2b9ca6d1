import { ts } from "./typescript.js";
import type { Effect } from "../../contract/effect.js";
import { snakeCase, TOOL_NAME } from "../../contract/tool-name.js";
import type { FoundTool } from "./discover.js";
import type { Framework } from "./framework.js";
import { readToolArguments } from "./literal-options.js";
import type { Normaliser } from "./normaliser.js";
import { descriptionOf, docCommentOf, hasSchemaTags } from "./read-doc.js";
import { compareShapes } from "./same-shape.js";
import type { Shape } from "./shape.js";
import { toolTypes, type WrittenType } from "./tool-types.js";
import { unionOf } from "./union-shape.js";

/** A tool, read off its class: everything but the schemas' text. */
export interface WalkedTool {
  readonly name: string;
  readonly found: FoundTool;
  readonly effect: Effect;
  readonly description: string;
  readonly input: Shape;
  readonly output: Shape;
}

/** Reads a tool off its class. Answers nothing when it is refused; the reasons are reported. */
export function walkTool(walk: Normaliser, framework: Framework, found: FoundTool): WalkedTool | undefined {
  const { reporter } = walk;
  const { className, node } = found;
  const before = reporter.problems.length;
  const place = { path: className, where: node.name ?? node };
  if (found.call === undefined) {
    reporter.at(
      { ...place, where: found.decorator },
      "@Tool is not called on the class itself, so its effect cannot be read",
      '@Tool("write")',
    );
  }
  const args =
    found.call &&
    readToolArguments(found.call, (where, message, hint) => {
      reporter.at({ ...place, where }, message, hint);
    });
  const name = args?.name ?? snakeCase(className);
  if (!TOOL_NAME.test(name)) {
    reporter.at(
      place,
      `${JSON.stringify(name)} is no tool name (letters, digits, _ and -, at most 64)`,
      '@Tool("...", { name: "..." })',
    );
  }
  const description = args?.description ?? classDescription(node);
  if (description === undefined) {
    reporter.at(
      place,
      "nothing says what the tool does",
      'a doc comment on the class, or @Tool("...", { description: "..." })',
    );
  }
  if (hasSchemaTags(node, ["deprecated"])) {
    reporter.at(
      place,
      "a schema tag does not apply to a tool class",
      "the tag on the member that it is meant for",
    );
  }
  const types = toolTypes(walk.checker, framework, reporter, node, className);
  if (types === undefined) return undefined;
  const input = agreed(walk, "input", [types.input], types.declared?.input);
  if (!isObject(input) && !isRefused(walk, before, "input")) {
    reporter.at(
      { path: "input", where: types.input.where },
      "the input is not an object, and a model calls a tool with named arguments",
      "wrap it: { value: ... }",
    );
  }
  const output = agreed(walk, "output", types.output, types.declared?.output);
  if (reporter.problems.length > before || args === undefined || description === undefined) return undefined;
  return { name, found, effect: args.effect, description, input, output };
}

/** The shape that `call` says, with what doc comments the same type has in `implements ToolHandler<I, O>`. */
function agreed(
  walk: Normaliser,
  path: "input" | "output",
  real: readonly WrittenType[],
  declared: WrittenType | undefined,
): Shape {
  const before = walk.reporter.problems.length;
  const shapes = real.map(({ type, node, where }) => walk.visit(type, { path, where, node }));
  const shape = unionOf(shapes);
  if (real.length === 0) {
    // A tool that only ever suspends has as its output what a person answers.
    return declared === undefined ? { tag: "unknown" } : walk.visit(declared.type, { path, ...declared });
  }
  if (declared === undefined || real.some(({ type }) => type === declared.type)) return shape;
  const other = walk.visit(declared.type, { path, ...declared });
  if (walk.reporter.problems.length > before) return shape;
  const { same, docsDiffer } = compareShapes(shape, other);
  const place = { path, where: declared.where };
  if (!same) {
    if (path === "output") return shape;
    const message = "call takes another input than ToolHandler<I, O> declares";
    walk.reporter.at(place, message, "one name for the type, in both places");
  } else if (docsDiffer.first && docsDiffer.second) {
    const message = `the doc comments of call's ${path} and of ToolHandler<I, O> differ, and only one of them can hold`;
    walk.reporter.at(place, message, "one name for the type, in both places");
  }
  return docsDiffer.second ? other : shape;
}

function classDescription(node: ts.ClassLikeDeclaration): string | undefined {
  const holder = ts.isClassExpression(node) && ts.isVariableDeclaration(node.parent) ? node.parent : node;
  const comment = docCommentOf(holder);
  return comment === undefined ? undefined : descriptionOf(comment);
}

/** Whether every value of a shape is an object. */
function isObject(shape: Shape): boolean {
  switch (shape.tag) {
    case "object":
      return true;
    case "documented":
      return isObject(shape.shape);
    case "named":
      return isObject(shape.declaration.shape);
    case "union":
      return shape.members.every(isObject);
    default:
      return false;
  }
}

/** Whether a path was refused already: one reason is enough. */
function isRefused(walk: Normaliser, since: number, path: string): boolean {
  return walk.reporter.problems.slice(since).some((problem) => problem.path === path);
}
