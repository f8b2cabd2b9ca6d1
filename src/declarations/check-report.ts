import { readAll } from "./load-declarations.js";
import type { DeclarationProblem } from "./problem.js";
import type { PublishedTool } from "./published-tool.js";

/** What `salvor check` has to say. */
export interface CheckReport {
  /** Whether a server would start with these files. */
  readonly ok: boolean;
  /** The files that were read, in their order. */
  readonly files: readonly string[];
  /** The names of the tools that are declared without a problem, sorted. */
  readonly tools: readonly string[];
  readonly problems: readonly DeclarationProblem[];
  /** What is allowed, and probably not meant. A server starts with it. */
  readonly warnings: readonly DeclarationProblem[];
}

/** Checks declarations exactly as a server does before it binds, without starting one. Never throws for what a file says. */
export function checkDeclarations(paths: readonly string[]): Promise<CheckReport> {
  const { registry, files, problems } = readAll(paths);
  const warnings = registry.published().flatMap((tool) => warningsOf(tool, registry.fileOf(tool.name)));
  return Promise.resolve({ ok: problems.length === 0, files, tools: registry.names(), problems, warnings });
}

function warningsOf(tool: PublishedTool, file: string | undefined): readonly DeclarationProblem[] {
  if (!tool.trust_completion || tool.output_schema !== undefined) return [];
  return [
    {
      ...(file !== undefined && { file }),
      key: "trust_completion",
      what: `${tool.name} has trust_completion = true, but no output_schema, so no client can close its calls`,
      advice: "write [output_schema], or leave trust_completion out",
    },
  ];
}
