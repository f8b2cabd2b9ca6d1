import type { Agent, FunctionTool, RunContext } from "@openai/agents";

type AnyAgent = Pick<Agent, "tools">;

/**
 * What the framework does around the run's tools: what people decided of their calls, and whose results it changes. It shows its context to
 * tools whenever a model is about to be asked, and when a call is about to be made.
 */
export class AroundTools {
  #context: Pick<RunContext, "isToolApproved"> | undefined;
  readonly #declined = new Set<string>();
  readonly #altered = new Set<string>();

  seeContext(context: Pick<RunContext, "isToolApproved">): void {
    this.#context = context;
  }

  /** An agent may have a tool with another `invoke` around the run's own, or with guardrails of its output. */
  seeAgent(agent: AnyAgent, { name, invoke }: Pick<FunctionTool, "name" | "invoke">): void {
    const held = agent.tools.find((tool) => tool.type === "function" && tool.name === name);
    if (held?.type !== "function") return;
    if (held.invoke !== invoke || (held.outputGuardrails ?? []).length > 0) this.#altered.add(name);
  }

  /** Whether a person declined a call, as far as this process knows. */
  isDeclined({ id, tool }: { readonly id: string; readonly tool: string }): boolean {
    const isApproved = this.#context?.isToolApproved({ toolName: tool, callId: id });
    if (isApproved === false) this.#declined.add(id);
    return isApproved === undefined ? this.#declined.has(id) : !isApproved;
  }

  /** Whether results of a tool may be other than what the run's own one answers, because the program wants them so. */
  isAltered(tool: string): boolean {
    return this.#altered.has(tool);
  }
}
