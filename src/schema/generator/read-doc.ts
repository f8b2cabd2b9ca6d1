import { ts } from "./typescript.js";
import type { JsonValue } from "../../contract/json.js";
import { didYouMean } from "../did-you-mean.js";
import { CONSTRAINTS, EMPTY_DOC, type ConstraintName, type Doc } from "./doc.js";
import { readConstraint, readJson, readText } from "./tag-values.js";

/** Told about everything in a doc comment that would be lost or misunderstood. */
export type ReportTag = (node: ts.Node, message: string, hint: string) => void;

const OTHER_TAGS = ["default", "examples", "title", "deprecated"] as const;
const CONSTRAINT_NAMES = Object.keys(CONSTRAINTS) as ConstraintName[];
/** Every tag that means something in a schema. */
export const KNOWN_TAGS: readonly string[] = [...CONSTRAINT_NAMES, ...OTHER_TAGS];

/** A tag as written, its two-part spellings resolved: `@items.minimum 0`, `@TJS-type integer`. */
interface Tag {
  readonly node: ts.JSDocTag;
  readonly name: string;
  readonly text: string;
  readonly onItems: boolean;
}

/** The doc comment that TypeScript attaches to a declaration: the last one before it. */
export function docCommentOf(node: ts.Node): ts.JSDoc | undefined {
  return ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).at(-1);
}

/** Reads the doc comment of a declaration: its text and its tags. */
export function readDoc(node: ts.Node, report: ReportTag): Doc {
  const comment = docCommentOf(node);
  if (comment === undefined) return EMPTY_DOC;
  for (const earlier of ((node as { readonly jsDoc?: readonly ts.JSDoc[] }).jsDoc ?? []).slice(0, -1)) {
    if (!isTagged(earlier)) continue;
    report(
      earlier,
      "this doc comment is not attached to anything: another one follows it",
      "one doc comment",
    );
  }
  const draft: Draft = { constraints: {}, items: {} };
  const text = descriptionOf(comment);
  if (text !== undefined) draft.description = text;
  const seen = new Set<string>();
  for (const tag of (comment.tags ?? []).map(spelledOut)) {
    const full = tag.onItems ? `items.${tag.name}` : tag.name;
    if (seen.has(full)) {
      const hint =
        tag.name === "examples" ? 'one tag with a JSON array: @examples ["a", "b"]' : "keep one of them";
      report(tag.node, `@${full} is written twice`, hint);
    } else {
      seen.add(full);
      readTag(tag, draft, report);
    }
  }
  return draft;
}

/** The text of a doc comment before its tags. */
export function descriptionOf(comment: ts.JSDoc): string | undefined {
  const text = (ts.getTextOfJSDocComment(comment.comment) ?? "").replace(/\r\n?/g, "\n").trim();
  return text === "" ? undefined : text;
}

/** Whether a declaration's doc comment has a tag that means something in a schema. */
export function hasSchemaTags(node: ts.Node, except: readonly string[] = []): boolean {
  const comment = docCommentOf(node);
  return comment !== undefined && isTagged(comment, except);
}

function isTagged(comment: ts.JSDoc, except: readonly string[] = []): boolean {
  const names = (comment.tags ?? []).map((tag) => spelledOut(tag).name);
  return names.some((name) => KNOWN_TAGS.includes(name) && !except.includes(name));
}

type Mutable<T> = { -readonly [key in keyof T]: T[key] };
type Draft = Mutable<Pick<Doc, "description" | "title" | "deprecated" | "default" | "examples">> & {
  readonly constraints: { [name in ConstraintName]?: JsonValue };
  readonly items: { [name in ConstraintName]?: JsonValue };
};

function readTag({ node, name, text, onItems }: Tag, draft: Draft, report: ReportTag): void {
  if (isConstraint(name)) {
    const read = readConstraint(name, text);
    if ("value" in read) (onItems ? draft.items : draft.constraints)[name] = read.value;
    else report(node, read.wrong, read.hint);
    return;
  }
  if (onItems || !KNOWN_TAGS.includes(name)) {
    reportUnknown(node, onItems ? `items.${name}` : name, report);
  } else if (name === "title") {
    draft.title = readText(text);
    if (text === "") report(node, "@title has no value", "@title Refund");
  } else if (name === "deprecated") {
    draft.deprecated = true;
    if (text !== "") draft.description = joinText(draft.description, `Deprecated: ${text}`);
  } else {
    const read = readJson(name, text);
    if (!("value" in read)) report(node, read.wrong, read.hint);
    else if (name === "default") draft.default = read.value;
    else if (Array.isArray(read.value)) draft.examples = read.value as readonly JsonValue[];
    else report(node, "the value of @examples must be a JSON array", '@examples ["a", "b"]');
  }
}

function isConstraint(name: string): name is ConstraintName {
  return Object.hasOwn(CONSTRAINTS, name);
}

function reportUnknown(node: ts.Node, name: string, report: ReportTag): void {
  if (name === "enum") {
    report(node, "@enum is not a tag for schemas", 'a union of literals as the type: "x" | "y"');
    return;
  }
  const meant = didYouMean(name.replace(/^items\./, ""), KNOWN_TAGS);
  const prefix = name.startsWith("items.") ? "items." : "";
  report(
    node,
    `@${name} is not a tag for schemas${meant === undefined ? "" : `; did you mean @${prefix}${meant}?`}`,
    `remove it, or use one of ${KNOWN_TAGS.map((known) => `@${known}`).join(" ")}`,
  );
}

function spelledOut(node: ts.JSDocTag): Tag {
  const name = node.tagName.text;
  const text = rawText(node);
  if (name === "TJS" || name === "TJS-type") {
    if (/^(-type\s+)?integer$/.test(text)) return { node, name: "integer", text: "", onItems: false };
  }
  if (name === "asType" && text === "integer") return { node, name: "integer", text: "", onItems: false };
  if (name === "TJS") {
    const dashed = /^-(\S+)\s*([\s\S]*)$/.exec(text);
    if (dashed !== null)
      return { node, name: `TJS-${dashed[1] ?? ""}`, text: dashed[2] ?? "", onItems: false };
  }
  const onItems = name === "items" ? /^\.(\w+)\s*([\s\S]*)$/.exec(text) : null;
  if (onItems !== null) return { node, name: onItems[1] ?? "", text: onItems[2] ?? "", onItems: true };
  return { node, name, text, onItems: false };
}

/** What follows a tag's name, as it stands in the source: TypeScript's own reading of it drops what it takes for markup. */
function rawText(node: ts.JSDocTag): string {
  return node
    .getSourceFile()
    .text.slice(node.tagName.end, node.end)
    .replace(/\*\/$/, "")
    .replace(/\r\n?/g, "\n")
    .replace(/\n[ \t]*\*?[ \t]?/g, "\n")
    .trim();
}

function joinText(first: string | undefined, second: string): string {
  return first === undefined ? second : `${first}\n\n${second}`;
}
