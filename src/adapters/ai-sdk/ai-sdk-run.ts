import { wrapLanguageModel, type LanguageModelMiddleware, type Tool } from "ai";
import {
  AgentRun,
  type OpenOptions,
  type RunTools,
  type RunWait,
  type SalvorClient,
} from "../../client/index.js";
import type { JsonObject, JsonValue } from "../../contract/json.js";
import { durableTool, type ApprovalPolicy } from "./durable-tool.js";
import { asksIn, marksIn } from "./model-answer.js";
import type { LanguageModelV3 } from "./model-types.js";
import { PerformedCalls } from "./performed-calls.js";
import { recordedModel } from "./recorded-model.js";

export interface AiSdkRunOptions extends OpenOptions {
  /**
   * Which calls a person approves before they are performed, whatever they are; none unless given. What was declined is not
   * performed, and the model is told.
   */
  readonly needsApproval?: ApprovalPolicy | undefined;
}

/** What ended with requests for approval: a result of `generateText`, or what a result of `streamText` resolves to. */
export interface AiSdkAnswer {
  readonly content: readonly { readonly type: string; readonly toolCall?: { readonly toolCallId: string } }[];
}

/**
 * A run of the AI SDK whose tool calls and model calls are recorded: by `generateText`, `streamText` or a `ToolLoopAgent`.
 *
 * @example
 * ```ts
 * const durable = await AiSdkRun.open(salvor, tools, { runId, agentDefHash: "support-desk@1", input });
 * const result = await generateText({
 *   model: durable.model(anthropic("claude-sonnet-5-5")),
 *   tools: durable.tools,
 *   stopWhen: stepCountIs(20),
 *   prompt: "Refund order A-17.",
 * });
 * const waits = durable.waits(result);
 * if (waits.length === 0) await durable.agentRun.complete(result.text);
 * ```
 */
export class AiSdkRun {
  /** The run: its id, `complete` and `fail`, and under `run` its drive token, `now`, `random` and `report`. */
  readonly agentRun: AgentRun;
  /** The run's tools, as the AI SDK's own. */
  readonly tools: Readonly<Record<string, Tool<JsonObject, JsonValue>>>;
  /**
   * Records the calls of the model that it is wrapped around. Last in a list: others before it are part of what is asked.
   *
   * @example
   * ```ts
   * const model = wrapLanguageModel({ model: anthropic("claude-sonnet-5-5"), middleware: [terse, durable.middleware] });
   * ```
   */
  readonly middleware: LanguageModelMiddleware;
  readonly #calls: PerformedCalls;

  /**
   * Opens a run, or goes on with one.
   *
   * @param tools a `ToolSet`, or `declaredTools(...)`.
   * @param options as of `ClientRun.open`: keep `runId`, it is how another process goes on.
   * @throws what `AgentRun.open` throws: `DriftError`, `DivergenceError` and the errors of the server.
   */
  static async open(client: SalvorClient, tools: RunTools, options: AiSdkRunOptions = {}): Promise<AiSdkRun> {
    const agent = await AgentRun.open(client, tools, { ...options, asks: asksIn, marks: marksIn });
    return new AiSdkRun(agent, tools, options);
  }

  private constructor(agent: AgentRun, tools: RunTools, { needsApproval }: AiSdkRunOptions) {
    const calls = new PerformedCalls(agent);
    this.agentRun = agent;
    this.#calls = calls;
    this.tools = Object.fromEntries(
      tools.descriptors().map((tool) => [tool.name, durableTool(tool, calls, needsApproval)]),
    );
    this.middleware = recordedModel(agent, calls);
  }

  get runId(): string {
    return this.agentRun.runId;
  }

  /**
   * A model whose calls are recorded.
   *
   * @returns a model that throws what the model throws, and what `AgentRun.model` throws: `WaitingError`, `DivergenceError`.
   *
   * @example
   * ```ts
   * const agent = new ToolLoopAgent({ model: durable.model(anthropic("claude-sonnet-5-5")), tools: durable.tools });
   * ```
   */
  model(model: LanguageModelV3): LanguageModelV3 {
    return wrapLanguageModel({ model, middleware: this.middleware });
  }

  /**
   * What the requests for approval of an answer wait for, each call once: not those that only `needsApproval` asked for, and
   * nothing is known of those that another process made.
   *
   * @example
   * ```ts
   * const result = streamText({ model, tools: durable.tools, messages });
   * for (const wait of durable.waits({ content: await result.content })) console.log(wait.kind, wait.tool, wait.reason);
   * ```
   */
  waits({ content }: AiSdkAnswer): readonly RunWait[] {
    const waits = content.flatMap(({ type, toolCall }) => {
      const isRequest = type === "tool-approval-request" && toolCall !== undefined;
      const wait = isRequest ? this.#calls.waitOf(toolCall.toolCallId) : undefined;
      return wait === undefined ? [] : [wait];
    });
    return [...new Map(waits.map((wait) => [wait.seq, wait])).values()];
  }
}
