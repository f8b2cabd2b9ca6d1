import type ts from "typescript";
import type { ToolSchemas } from "../../contract/artefact.js";
import type { FoundTool } from "./discover.js";
import { isSame, type SourceGraph } from "./source-graph.js";
import type { WalkedTool } from "./walk-tool.js";

/** A tool with everything that was made of it, none of which is wrong. */
export interface KnownTool {
  readonly tool: WalkedTool;
  readonly schemas: ToolSchemas;
  /** The sources that its types come from. */
  readonly sources: ReadonlySet<ts.SourceFile>;
}

/**
 * The tools of a program as they were last generated, for as long as nothing that they may depend on has changed. One for all
 * programs of a project under the same options: under others the same sources say something else.
 */
export class ToolMemory {
  #shared: readonly ts.SourceFile[] = [];
  #known = new WeakMap<ts.Node, { readonly tool: KnownTool; readonly behind: Behind }>();

  /** What is known of a tool, when the sources are as they were. */
  recall({ node }: FoundTool, graph: SourceGraph): KnownTool | undefined {
    const known = this.#known.get(node);
    if (known === undefined || !isSame(this.#shared, graph.shared)) return undefined;
    return isSame(known.behind, graph.behind(node.getSourceFile())) ? known.tool : undefined;
  }

  /** Remembers all tools of a program in which nothing at all was wrong. */
  keep(tools: readonly KnownTool[], graph: SourceGraph): void {
    this.#shared = graph.shared;
    this.#known = new WeakMap(
      tools.map((tool) => {
        const { node } = tool.tool.found;
        return [node, { tool, behind: graph.behind(node.getSourceFile()) }];
      }),
    );
  }
}

type Behind = ReturnType<SourceGraph["behind"]>;
