import { AIMessage } from "@langchain/core/messages";
import { createMiddleware, type AgentMiddleware } from "langchain";
import type { AgentRun } from "../../client/index.js";
import { asRecorded } from "./as-recorded.js";
import { DurableTool } from "./durable-tool.js";
import { answerOf } from "./message-json.js";
import { recordedAnswer } from "./recorded-answer.js";
import { ReplayedModel } from "./replayed-model.js";

/** Records what the model of an agent answers, and performs the calls of the run's tools. */
export function durableMiddleware(run: AgentRun, tools: readonly DurableTool[]): AgentMiddleware {
  return createMiddleware({
    name: "SalvorMiddleware",
    tools,
    async wrapModelCall(request, handler) {
      const { model, systemMessage, tools: told, toolChoice, modelSettings, responseFormat } = request;
      const { signal } = request.runtime;
      const messages = await asRecorded(run, request.messages, signal);
      const system = systemMessage.text === "" ? [] : [systemMessage];
      let answered: unknown;
      const { response, isReplayed } = await recordedAnswer(
        run,
        {
          ...{ model, tools: told, toolChoice, settings: modelSettings, responseFormat },
          messages: [...system, ...messages],
        },
        async () => {
          answered = await handler({ ...request, messages });
          return modelMessageIn(answered);
        },
        signal,
      );
      if (responseFormat === undefined) {
        if (isReplayed) await new ReplayedModel(response).invoke(messages);
        return answerOf(response);
      }
      if (!isReplayed) return answered as AIMessage;
      // Has LangChain read the structured answer out of what is recorded, as it did out of what the model said.
      const replayed = new ReplayedModel(response);
      const again = await handler({ ...request, messages, model: replayed });
      if (!replayed.isAsked) {
        throw new Error(
          "a middleware behind SalvorMiddleware asks a model of its own: one that chooses the model stands before it",
        );
      }
      return again;
    },
    async wrapToolCall(request, handler) {
      const { tool, toolCall, runtime, state } = request;
      if (!(tool instanceof DurableTool)) return handler(request);
      return tool.perform(toolCall, runtime.signal && { signal: runtime.signal }, state.messages);
    },
  });
}

/** What the model said: a structured answer comes with it. */
function modelMessageIn(answered: unknown): AIMessage {
  if (AIMessage.isInstance(answered)) return answered;
  const { messages = [] } = answered as { readonly messages?: readonly unknown[] };
  const message = messages.find((each) => AIMessage.isInstance(each));
  if (message === undefined) throw new TypeError("the model's answer is no AIMessage");
  return message;
}
