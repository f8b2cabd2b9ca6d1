import { AgentRun, type OpenOptions, type RunTools, type SalvorClient } from "../../client/index.js";
import { callsIn } from "./message-json.js";

/**
 * Opens a run for an agent of LangChain or a graph of LangGraph, or goes on with one.
 *
 * @param tools a `ToolSet`, or what `declaredTools` makes of the server's declarations and your functions.
 * @param options.runId keep it, and hand it in again: another process goes on with the run by it.
 * @throws what `ClientRun.open` throws: `DriftError`, `DivergenceError` and others.
 *
 * @example
 * ```ts
 * const run = await openAgentRun(client, tools, { runId, agentDefHash: "refund-flow@1", input: { ticket: 7 } });
 * const agent = createAgent({ model, middleware: [durableMiddleware(run, tools)], checkpointer });
 * await agent.invoke({ messages: "Refund order A-17." }, { configurable: { thread_id: run.runId } });
 * await run.complete({ refunded: true });
 * ```
 */
export function openAgentRun(
  client: SalvorClient,
  tools: RunTools,
  options: OpenOptions = {},
): Promise<AgentRun> {
  const isOurs = ({ tool }: { readonly tool: string }): boolean => tools.get(tool) !== undefined;
  return AgentRun.open(client, tools, {
    ...options,
    // What the agent's other tools are asked is no call of this run.
    asks: (response) => callsIn(response).filter(isOurs),
  });
}
