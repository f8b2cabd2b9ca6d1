import {
  Usage,
  type AgentOutputItem,
  type Model,
  type ModelRequest,
  type ModelResponse,
  type StreamEvent,
} from "@openai/agents";
import { scriptedTurn, type Turn } from "../../support/desk.js";

/** A model of the framework that says what a script says, whole or piece by piece. */
export class ScriptedModel implements Model {
  readonly requests: ModelRequest[] = [];
  readonly #turn: (results: number) => Turn;

  constructor(turn: (results: number) => Turn = scriptedTurn) {
    this.#turn = turn;
  }

  // eslint-disable-next-line @typescript-eslint/require-await
  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    this.requests.push(request);
    const results = resultsOf(request);
    const { output, usage, responseId } = answerOf(this.#turn(results), results);
    return { output, usage: new Usage(usage), responseId };
  }

  // eslint-disable-next-line @typescript-eslint/require-await
  async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    this.requests.push(request);
    const results = resultsOf(request);
    const turn = this.#turn(results);
    const { output, usage, responseId: id } = answerOf(turn, results);
    yield { type: "response_started" };
    for (const delta of turn.text.match(/.{1,8}/g) ?? []) yield { type: "output_text_delta", delta };
    yield { type: "model", event: { type: "response.completed" } };
    const done = { type: "response_done", response: { id, output, usage } };
    yield done as Extract<StreamEvent, { type: "response_done" }>;
  }
}

function resultsOf({ input }: ModelRequest): number {
  return typeof input === "string" ? 0 : input.filter((item) => item.type === "function_call_result").length;
}

function answerOf({ text, calls }: Turn, results: number) {
  const message: AgentOutputItem = {
    type: "message",
    id: `msg_${results}`,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text }],
  };
  const output: AgentOutputItem[] = [
    ...(text === "" ? [] : [message]),
    ...calls.map(({ id, tool, input }): AgentOutputItem => {
      const of = { name: tool, arguments: JSON.stringify(input) };
      return { type: "function_call", id: `fc_${id}`, callId: id, status: "completed", ...of };
    }),
  ];
  return {
    output,
    usage: { requests: 1, inputTokens: 10 + results, outputTokens: 5, totalTokens: 15 + results },
    responseId: `resp_${results}`,
  };
}
