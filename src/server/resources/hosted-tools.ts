import type { DynTool } from "../../contract/dyn-tool.js";
import type { AppState } from "../app-state.js";
import type { AppRouter } from "../context.js";

/** The tools that this server performs itself, for whoever offers them to somebody: `tool-step` has one performed. */
export function hostedToolRoutes({ hosted: { tools } }: AppState, router: AppRouter): void {
  router.get("/v1/hosted-tools", (ctx) => {
    const names = [...(tools?.names() ?? [])].sort();
    ctx.body = { hosted_tools: names.flatMap((name) => published(tools?.get(name))) };
  });
}

function published(tool: DynTool | undefined): readonly object[] {
  if (tool === undefined) return [];
  const { name, description, effect, inputSchema: input_schema, outputSchema: output_schema } = tool;
  return [{ name, description, effect, input_schema, ...(output_schema !== undefined && { output_schema }) }];
}
