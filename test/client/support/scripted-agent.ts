import {
  AgentRun,
  SalvorError,
  ToolFailedError,
  type AgentOptions,
  type CarriedAsk,
  type ModelReply,
  type OpenOptions,
  type SalvorClient,
  type ToolAsk,
  type TurnAsk,
} from "#salvor/client/index.js";
import type { JsonValue } from "#salvor/contract/json.js";
import { toolsFor, type World } from "./tools.js";

/** What a scripted model answers: a text, or calls of tools. */
export interface Say {
  readonly calls: readonly TurnAsk[];
}

/** What a program and its people make of the asks of a turn, the same whenever it runs: with other inputs, or declined. */
export type Decide = (turn: number, asks: readonly TurnAsk[]) => readonly CarriedAsk[];

/** What an agent that keeps checkpoints has when it goes on: its messages, and what came of the calls of the last of them, by their ids. */
export interface Checkpoint {
  readonly messages: JsonValue[];
  readonly results: Map<string, JsonValue>;
}

export const asks: AgentOptions["asks"] = (response) => (response as unknown as Say).calls;

/** By what a request shows that it carries an answer that asks for nothing. */
const marks: AgentOptions["marks"] = (response) =>
  (response as unknown as Say).calls.length === 0 ? ["said: nothing"] : [];

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
    marks,
  });
}

export interface LoopOptions {
  readonly checkpoint?: Checkpoint;
  readonly onAsked?: (turn: number) => void;
  readonly decide?: Decide;
}

/** An agent's loop as frameworks write them: it asks the model, makes the calls that it asks for, and goes on until it asks for none. */
export async function loop(
  agent: AgentRun,
  script: readonly Say[],
  { checkpoint, onAsked, decide = (_turn, calls) => calls }: LoopOptions = {},
): Promise<void> {
  const { messages, results } = checkpoint ?? { messages: [], results: new Map<string, JsonValue>() };
  for (;;) {
    const turn = Math.floor(messages.length / 2);
    if (messages.length % 2 === 0) {
      const { response } = await agent.model(
        { messages: [...messages] },
        () => {
          onAsked?.(turn);
          const say = script[turn];
          if (say === undefined) throw new Error(`the script has no turn ${turn}`);
          return Promise.resolve(reply(say));
        },
        { answered: messages.flatMap(resultsIn) },
      );
      messages.push(response);
      if (asks(response).length === 0) break;
      continue;
    }
    const carried = decide(turn, (messages.at(-1) as unknown as Say).calls);
    const ended = await Promise.allSettled(
      carried.map(async (ask) => {
        if (results.has(ask.id)) return;
        results.set(ask.id, ask.told === undefined ? await told(agent, ask as ToolAsk, carried) : "declined");
      }),
    );
    const failed = ended.find((end) => end.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    const [ends] = await agent.endsOf([carried]);
    if (ends?.size !== 0) throw new Error("a call was performed that was declined");
    messages.push({ results: carried.map(({ id }) => [id, results.get(id) ?? null]) });
    results.clear();
  }
  await agent.complete({ turns: messages.length });
}

/** What the model is told of a call: its output, or that it failed. */
async function told(agent: AgentRun, ask: ToolAsk, carried: readonly CarriedAsk[]): Promise<JsonValue> {
  try {
    return await agent.call(ask, { carried });
  } catch (error) {
    if (error instanceof ToolFailedError) return { error: error.reason };
    if (error instanceof SalvorError && error.code === "bad_request") return { error: "not acceptable" };
    throw error;
  }
}

function resultsIn(message: JsonValue): readonly string[] {
  const { results = [] } = message as { readonly results?: readonly (readonly [string, JsonValue])[] };
  return results.map(([id]) => id);
}
