export { checkDeclarations, type CheckReport } from "./check-report.js";
export { ClientToolRegistry, type DeclarationInput } from "./client-tool-registry.js";
export type { ClientToolDeclaration, DeclaredTool } from "./declared-tool.js";
export { draftDeclaration, type DeclarationDraft, type SchemaSide } from "./draft-declaration.js";
export { loadDeclarations, parseDeclaration, type LoadedDeclarations } from "./load-declarations.js";
export { DeclarationError, renderProblem, type DeclarationProblem } from "./problem.js";
export type { PublishedTool } from "./published-tool.js";
