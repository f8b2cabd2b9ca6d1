import type ts from "typescript";
import { discoverTools, type FoundTool } from "./discover.js";
import type { GenerateProgress } from "./generate.js";
import { Framework } from "./framework.js";
import type { MadeProgram } from "./incremental-program.js";
import type { LoadedProgram } from "./load-program.js";
import { Normaliser } from "./normaliser.js";
import { relativePosix } from "./problem.js";
import type { Reporter } from "./reporter.js";
import { SourceGraph } from "./source-graph.js";
import type { KnownTool } from "./tool-memory.js";
import { TypeSources } from "./type-sources.js";
import { unresolvedHint } from "./unresolved-hint.js";
import { walkTool, type WalkedTool } from "./walk-tool.js";

/** The tools of a project, and what they were read with. */
export interface ReadProject {
  readonly project: MadeProgram;
  readonly walk: Normaliser;
  readonly graph: SourceGraph;
  /** Those that are known already, and those that were read anew; without those that are refused. */
  readonly tools: readonly (KnownTool | NewTool)[];
  /** The sources that any tool's types come from, refused tools' too. */
  readonly sources: ReadonlySet<ts.SourceFile>;
}

export type NewTool = Omit<KnownTool, "schemas">;

/** A project before its tools are read. */
interface FoundTools extends Pick<ReadProject, "project" | "walk" | "graph"> {
  readonly framework: Framework;
  readonly classes: readonly FoundTool[];
}

/** Reads every tool of a solution off its class, but for those that are known. Reports what is wrong. */
export function* readTools(
  { projects }: LoadedProgram,
  reporter: Reporter,
): Generator<GenerateProgress, readonly ReadProject[], void> {
  const seen = new Set<string>();
  const found = projects.map((project) => findTools(project, reporter, seen));
  const total = found.reduce((sum, { classes }) => sum + classes.length, 0);
  const holders = new Map<string, WalkedTool>();
  const read: ReadProject[] = [];
  let done = 0;
  for (const { project, walk, graph, framework, classes } of found) {
    // A copy of ours that is linked in from elsewhere is no more the author's than one that is installed.
    const isAuthors = (node: ts.Node): boolean => walk.isAuthors(node) && !framework.isOurs(node);
    const typeSources = new TypeSources(walk.checker, isAuthors);
    const tools: (KnownTool | NewTool)[] = [];
    const all = new Set<ts.SourceFile>();
    for (const one of classes) {
      yield { stage: "reading", done: done++, total };
      walk.about(one.className);
      const known = project.memory.recall(one, graph);
      const sources = known?.sources ?? typeSources.of(one);
      for (const source of sources) all.add(source);
      const tool = known?.tool ?? walkTool(walk, framework, one);
      if (tool !== undefined && isFirst(reporter, tool, holders)) tools.push(known ?? { tool, sources });
    }
    walk.about(undefined);
    read.push({ project, walk, graph, tools, sources: all });
  }
  return read;
}

/** Finds the tools of a project; a source that several projects hold is left to the first, whose own it is. */
function findTools(project: MadeProgram, reporter: Reporter, seen: Set<string>): FoundTools {
  const { program } = project;
  const checker = program.getTypeChecker();
  const framework = new Framework(checker);
  const classes = discoverTools(program, checker, framework, seen, (decorator, className) => {
    const message = "the decorator does not resolve, so whether the class is a tool cannot be told";
    reporter.at({ path: className, where: decorator }, message, unresolvedHint(program.getCompilerOptions()));
  });
  const walk = new Normaliser(program, checker, reporter);
  return { project, walk, graph: new SourceGraph(program, checker), framework, classes };
}

/** Whether no tool before has the name of this one, which is remembered then. */
function isFirst(reporter: Reporter, tool: WalkedTool, holders: Map<string, WalkedTool>): boolean {
  const holder = holders.get(tool.name);
  if (holder === undefined) {
    holders.set(tool.name, tool);
    return true;
  }
  const { className, node } = tool.found;
  const file = relativePosix(reporter.root, holder.found.node.getSourceFile().fileName);
  reporter.at(
    { path: className, where: node.name ?? node },
    `the tool is called ${tool.name}, as ${holder.found.className} in ${file} is`,
    `another name for one of them: @Tool("${tool.effect}", { name: "..." })`,
  );
  return false;
}
