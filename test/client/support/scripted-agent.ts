import {
  AgentRun,
  SalvorError,
  ToolFailedError,
  type AgentOptions,
  type ModelReply,
  type OpenOptions,
  type SalvorClient,
  type ToolAsk,
} from "#salvor/client/index.js";
import type { JsonValue } from "#salvor/contract/json.js";
import { toolsFor, type World } from "./tools.js";

/** What a scripted model answers: a text, or calls of tools. */
export interface Say {
  readonly calls: readonly ToolAsk[];
}

/** What an agent that keeps checkpoints has when it goes on: its messages, and what came of the calls of the last of them. */
export interface Checkpoint {
  readonly messages: JsonValue[];
  readonly results: Map<string, JsonValue>;
}

export const asks: AgentOptions["asks"] = (response) => (response as unknown as Say).calls;

export const reply = (say: Say): ModelReply => ({
  response: say as unknown as JsonValue,
  usage: { input_tokens: 1, output_tokens: 1 },
});

export function openAgent(
  client: SalvorClient,
  world: World,
  runId: string,
  options: OpenOptions = {},
): Promise<AgentRun> {
  return AgentRun.open(client, toolsFor(world), {
    ...options,
    runId,
    agentDefHash: "agent-1",
    input: null,
    asks,
  });
}

/** An agent's loop as frameworks write them: it asks the model, makes the calls that it asks for, and goes on until it asks for none. */
export async function loop(
  agent: AgentRun,
  script: readonly Say[],
  {
    checkpoint,
    onAsked,
  }: { readonly checkpoint?: Checkpoint; readonly onAsked?: (turn: number) => void } = {},
): Promise<void> {
  const { messages, results } = checkpoint ?? { messages: [], results: new Map<string, JsonValue>() };
  const isAnswered = (id: string) => messages.some((message) => isResult(message, id));
  for (;;) {
    const last = messages.at(-1) as unknown as Say | undefined;
    const open = messages.length % 2 === 1 ? (last?.calls ?? []) : [];
    if (messages.length % 2 === 0) {
      const turn = messages.length / 2;
      const answered = script.slice(0, turn).flatMap(({ calls }) => calls.map(({ id }) => id));
      const { response } = await agent.model(
        { messages: [...messages] },
        () => {
          onAsked?.(turn);
          const say = script[turn];
          if (say === undefined) throw new Error(`the script has no turn ${turn}`);
          return Promise.resolve(reply(say));
        },
        { answered: answered.filter(isAnswered) },
      );
      messages.push(response);
      if (asks(response).length === 0) break;
      continue;
    }
    const ended = await Promise.allSettled(
      open.map(async (ask) => {
        if (!results.has(ask.id)) results.set(ask.id, await told(agent, ask));
      }),
    );
    const failed = ended.find((end) => end.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    messages.push({ results: open.map(({ id }) => [id, results.get(id) ?? null]) });
  }
  await agent.complete({ turns: messages.length });
}

/** What the model is told of a call: its output, or that it failed. */
async function told(agent: AgentRun, ask: ToolAsk): Promise<JsonValue> {
  try {
    return await agent.call(ask);
  } catch (error) {
    if (error instanceof ToolFailedError) return { error: error.reason };
    if (error instanceof SalvorError && error.code === "bad_request") return { error: "not acceptable" };
    throw error;
  }
}

function isResult(message: JsonValue, id: string): boolean {
  const { results } = message as { readonly results?: readonly (readonly [string, JsonValue])[] };
  return results?.some(([answered]) => answered === id) ?? false;
}
