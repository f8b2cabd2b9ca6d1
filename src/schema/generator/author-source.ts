import type ts from "typescript";

/**
 * Whether a source is the author's own rather than a library's. A package of a workspace is: it is found in node_modules, but
 * only as a link to where it really lies.
 */
export function isAuthorsSource(program: ts.Program, source: ts.SourceFile): boolean {
  if (program.isSourceFileDefaultLibrary(source)) return false;
  return !program.isSourceFileFromExternalLibrary(source) || !source.fileName.includes("/node_modules/");
}
