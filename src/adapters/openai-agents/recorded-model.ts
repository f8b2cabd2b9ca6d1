import type { Model, ModelRequest, ModelResponse, StreamEvent } from "@openai/agents";
import type { AgentRun, ModelReply } from "../../client/index.js";
import { EventQueue } from "../event-queue.js";
import { doneEventOf, eventsOf, replyOf, replyOfStream, responseOf, type DoneEvent } from "./model-answer.js";
import { answeredBy, inCallOrder, recordedRequest } from "./model-request.js";

/** A model whose calls are recorded in a run, and answered from its log where they are. */
export class RecordedModel implements Model {
  readonly #agent: AgentRun;
  readonly #model: Model;
  readonly #name: string | undefined;

  constructor(agent: AgentRun, model: Model, name?: string) {
    this.#agent = agent;
    this.#model = model;
    this.#name = name;
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    const asked = inCallOrder(request);
    const { response } = await this.#record(asked, async () => replyOf(await this.#model.getResponse(asked)));
    return responseOf(response);
  }

  /** The end of the answer is handed on when it is recorded, and what comes before it as it comes. */
  async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    const asked = inCallOrder(request);
    const events = new EventQueue<StreamEvent>();
    let done: DoneEvent | undefined;
    const after: StreamEvent[] = [];
    const reply = this.#record(asked, async () => {
      for await (const event of this.#model.getStreamedResponse(asked)) {
        if (event.type === "response_done") done = event;
        else if (done === undefined) events.push(event);
        else after.push(event);
      }
      if (done === undefined) throw new Error("the model's stream ended without a response");
      return replyOfStream(done);
    });
    reply.then(
      ({ response }) => {
        if (done === undefined) events.push(...eventsOf(response));
        else events.push(doneEventOf(response, done), ...after);
        events.close();
      },
      (error: unknown) => {
        events.fail(error);
      },
    );
    yield* events;
  }

  getRetryAdvice(
    ...args: Parameters<NonNullable<Model["getRetryAdvice"]>>
  ): ReturnType<NonNullable<Model["getRetryAdvice"]>> {
    return this.#model.getRetryAdvice?.(...args);
  }

  #record(request: ModelRequest, call: () => Promise<ModelReply>): Promise<ModelReply> {
    const { signal } = request;
    const answered = answeredBy(request);
    return this.#agent.model(recordedRequest(request, this.#name), call, { answered, signal });
  }
}
