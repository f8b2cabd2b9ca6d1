import { ts } from "./typescript.js";
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

/**
 * The doc comments between a member's name and the end of its type that belong to nothing, such as `/** ... *\/` in front of a
 * part of a union. Those inside an object type are that type's own matter.
 */
export function detachedInside(from: number, type: ts.TypeNode): readonly DetachedComment[] {
  const source = type.getSourceFile();
  const text = source.text.slice(from, type.end);
  if (!text.includes("/**")) return [];
  const owned: DetachedComment[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isTypeLiteralNode(node)) owned.push({ pos: node.getStart(), end: node.end });
    else {
      for (const comment of ts.getJSDocCommentsAndTags(node))
        owned.push({ pos: comment.pos, end: comment.end });
      ts.forEachChild(node, look);
    }
  };
  look(type);
  return commentsIn(text)
    .map(({ pos, end }) => ({ pos: pos + from, end: end + from }))
    .filter(({ pos }) => !owned.some((span) => span.pos <= pos && pos < span.end));
}

function commentsIn(text: string): readonly DetachedComment[] {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, text);
  const found: DetachedComment[] = [];
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    const pos = scanner.getTokenStart();
    const end = scanner.getTokenEnd();
    const isDoc =
      token === ts.SyntaxKind.MultiLineCommentTrivia && end - pos > 4 && text.startsWith("/**", pos);
    if (isDoc) found.push({ pos, end });
  }
  return found;
}

function docCommentsAt(source: ts.SourceFile, position: number): readonly DetachedComment[] {
  const ranges = [
    ...(ts.getTrailingCommentRanges(source.text, position) ?? []),
    ...(ts.getLeadingCommentRanges(source.text, position) ?? []),
  ];
  const byStart = new Map(ranges.map(({ pos, end }) => [pos, { pos, end }]));
  return [...byStart.values()].filter(({ pos, end }) => end - pos > 4 && source.text.startsWith("/**", pos));
}
