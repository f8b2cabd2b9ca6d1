import type { LanguageModelMiddleware } from "ai";
import type { AgentRun } from "../../client/index.js";
import { asRecorded } from "./as-recorded.js";
import { LiveStream } from "./live-stream.js";
import { replyOf, resultOf } from "./model-answer.js";
import { answeredIn, requestOf } from "./model-request.js";
import type { LanguageModelV3, ModelParams, ModelResult, ModelStream } from "./model-types.js";
import type { PerformedCalls } from "./performed-calls.js";
import { streamOf } from "./stream-content.js";

/** A middleware that has each model call recorded before and after it, and answers from the log what is recorded. */
export function recordedModel(agent: AgentRun, calls: PerformedCalls): LanguageModelMiddleware {
  const record = async (
    params: ModelParams,
    model: LanguageModelV3,
    ask: () => Promise<ModelResult>,
  ): Promise<ModelResult> => {
    const { prompt, abortSignal: signal } = params;
    const answered = answeredIn(prompt);
    calls.refuseUntold(answered);
    const request = requestOf(params, model);
    const { response } = await agent.model(request, async () => replyOf(await ask()), { answered, signal });
    const result = resultOf(response);
    calls.askedBy(result, signal);
    return result;
  };
  return {
    specificationVersion: "v3",
    transformParams: async ({ params }) => ({ ...params, prompt: await asRecorded(agent, calls, params) }),
    async wrapGenerate({ doGenerate, params, model }) {
      let live: ModelResult | undefined;
      const result = await record(params, model, async () => (live = await doGenerate()));
      // How it was carried is known only where it was.
      return { ...live, ...result, response: { ...live?.response, ...result.response } };
    },
    async wrapStream({ doStream, params, model }) {
      let live: LiveStream | undefined;
      let begin: (stream: ModelStream) => void;
      const begun = new Promise<ModelStream>((resolve) => (begin = resolve));
      const replayed = record(params, model, async () => {
        const { stream, ...carried } = await doStream();
        live = new LiveStream(stream);
        begin({ ...carried, stream: live.stream });
        return live.answer();
      }).then(
        (result): ModelStream => {
          live?.release();
          return { stream: streamOf(result) };
        },
        (error: unknown) => {
          live?.fail(error);
          throw error;
        },
      );
      return Promise.race([begun, replayed]);
    },
  };
}
