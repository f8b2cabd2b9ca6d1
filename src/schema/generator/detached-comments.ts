import ts from "typescript";
import { docCommentOf } from "./read-doc.js";

/** A doc comment that TypeScript attaches to nothing: what it says would be lost without a word. */
export interface DetachedComment {
  readonly pos: number;
  readonly end: number;
}

/**
 * The doc comments between the token before a member and the member itself that are not the member's own: one on the line of
 * the opening brace or of the member before, or one of two in a row.
 */
export function detachedBefore(member: ts.Node): readonly DetachedComment[] {
  const own = docCommentOf(member)?.pos;
  return docCommentsAt(member.getSourceFile(), member.getFullStart()).filter(({ pos }) => pos !== own);
}

/** The doc comments after the last member of an object type, before its closing brace. */
export function detachedAtEnd(
  members: ts.NodeArray<ts.Node>,
  source: ts.SourceFile,
): readonly DetachedComment[] {
  return docCommentsAt(source, members.end);
}

function docCommentsAt(source: ts.SourceFile, position: number): readonly DetachedComment[] {
  const ranges = [
    ...(ts.getTrailingCommentRanges(source.text, position) ?? []),
    ...(ts.getLeadingCommentRanges(source.text, position) ?? []),
  ];
  const byStart = new Map(ranges.map(({ pos, end }) => [pos, { pos, end }]));
  return [...byStart.values()].filter(({ pos, end }) => end - pos > 4 && source.text.startsWith("/**", pos));
}
