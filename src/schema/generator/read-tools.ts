import type ts from "typescript";
import { discoverTools, type FoundTool } from "./discover.js";
import type { GenerateProgress } from "./generate.js";
import { Framework } from "./framework.js";
import type { Normaliser } from "./normaliser.js";
import { relativePosix } from "./problem.js";
import type { KnownTool } from "./tool-memory.js";
import { TypeSources } from "./type-sources.js";
import { walkTool, type WalkedTool } from "./walk-tool.js";

/** The tools of a program, and where their types come from. */
export interface ReadTools {
  /** Those that are known already, and those that were read anew; without those that are refused. */
  readonly tools: readonly (KnownTool | NewTool)[];
  /** The sources that any tool's types come from, refused tools' too. */
  readonly sources: ReadonlySet<ts.SourceFile>;
}

export type NewTool = Omit<KnownTool, "schemas">;

/** Reads every tool of a program off its class, but for those that are known. Reports what is wrong. */
export function* readTools(
  walk: Normaliser,
  recall: (found: FoundTool) => KnownTool | undefined,
): Generator<GenerateProgress, ReadTools, void> {
  const { program, checker, reporter } = walk;
  const framework = new Framework(checker);
  const typeSources = new TypeSources(checker, (node) => walk.isAuthors(node));
  const classes = discoverTools(program, checker, framework, (decorator, className) => {
    const message = "the decorator does not resolve, so whether the class is a tool cannot be told";
    reporter.at({ path: className, where: decorator }, message, "check the import and the name");
  });
  const tools: (KnownTool | NewTool)[] = [];
  const holders = new Map<string, WalkedTool>();
  const all = new Set<ts.SourceFile>();
  for (const [done, found] of classes.entries()) {
    yield { stage: "reading", done, total: classes.length };
    walk.about(found.className);
    const known = recall(found);
    const sources = known?.sources ?? typeSources.of(found);
    for (const source of sources) all.add(source);
    const tool = known?.tool ?? walkTool(walk, framework, found);
    if (tool === undefined) continue;
    const holder = holders.get(tool.name);
    if (holder === undefined) {
      holders.set(tool.name, tool);
      tools.push(known ?? { tool, sources });
    } else {
      reportSecond(walk, tool, holder);
    }
  }
  walk.about(undefined);
  return { tools, sources: all };
}

function reportSecond({ reporter }: Normaliser, tool: WalkedTool, holder: WalkedTool): void {
  const { className, node } = tool.found;
  const file = relativePosix(reporter.root, holder.found.node.getSourceFile().fileName);
  reporter.at(
    { path: className, where: node.name ?? node },
    `the tool is called ${tool.name}, as ${holder.found.className} in ${file} is`,
    `another name for one of them: @Tool("${tool.effect}", { name: "..." })`,
  );
}
