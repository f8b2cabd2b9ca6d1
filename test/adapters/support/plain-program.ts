import { ClientRun, NeedsReconciliationError, type RunTools } from "#salvor/client/index.js";
import type { DynTool } from "#salvor/contract/dyn-tool.js";
import type { JsonObject, JsonValue } from "#salvor/contract/json.js";
import type { ToolCtx } from "#salvor/contract/tool-handler.js";
import { descriptorOf } from "#salvor/contract/tool-set.js";
import { SCRIPT } from "./desk.js";
import { DeskChild } from "./desk-child.js";

/** The desk's script without a framework and without a model: what the kill test itself is tried with. */
await DeskChild.run(async (child) => {
  const tools = await toolsOf(child);
  const run = await ClientRun.open(child.client, tools, child.options);
  try {
    for (const { calls } of SCRIPT) {
      for (const { tool, input } of calls) await run.perform(tool, { ...input });
    }
  } catch (error) {
    if (!(error instanceof NeedsReconciliationError) || error.intent === undefined) throw error;
    return { end: "waiting", seq: error.intent.seq };
  }
  await run.complete({ done: true });
  return { end: "done", output: { done: true } };
});

async function toolsOf({ client, handlers }: DeskChild): Promise<RunTools> {
  const declared = await client.clientTools();
  const tools = new Map<string, DynTool>();
  for (const { name, effect, description = "", input_schema, output_schema } of declared) {
    const handler = handlers[name as keyof typeof handlers] as (ctx: ToolCtx, input: JsonValue) => JsonValue;
    tools.set(name, {
      name,
      description,
      effect,
      inputSchema: input_schema as JsonObject,
      outputSchema: output_schema as JsonObject,
      callJson: (ctx, input) => Promise.resolve({ outcome: "output", output: handler(ctx, input) }),
    });
  }
  return {
    get: (name) => tools.get(name),
    names: () => [...tools.keys()],
    descriptors: () => [...tools.values()].map((tool) => descriptorOf(tool)),
  };
}
