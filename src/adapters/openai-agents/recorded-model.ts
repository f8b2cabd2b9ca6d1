import type { Model, ModelRequest, ModelResponse, StreamEvent } from "@openai/agents";
import type { AgentRun, ModelReply } from "../../client/index.js";
import { EventQueue } from "../event-queue.js";
import { doneEventOf, eventsOf, replyOf, replyOfStream, responseOf, type DoneEvent } from "./model-answer.js";
import { asRecorded } from "./as-recorded.js";
import { wordsOf } from "./carried-asks.js";
import { answeredBy, inCallOrder, recordedRequest, resultsIn } from "./model-request.js";
import type { PerformedCalls } from "./performed-calls.js";

/** A model whose calls are recorded in a run, and answered from its log where they are. */
export class RecordedModel implements Model {
  readonly #agent: AgentRun;
  readonly #calls: PerformedCalls;
  readonly #model: Model;
  readonly #name: string | undefined;

  constructor(agent: AgentRun, calls: PerformedCalls, model: Model, name?: string) {
    this.#agent = agent;
    this.#calls = calls;
    this.#model = model;
    this.#name = name;
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    const asked = await this.#toAsk(request);
    const { response } = await this.#record(asked, async () => replyOf(await this.#model.getResponse(asked)));
    return responseOf(response);
  }

  /** The end of the answer is handed on when it is recorded, and what comes before it as it comes. */
  async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    const asked = await this.#toAsk(request);
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

  /** What is asked, and recorded, where the framework asks this. */
  #toAsk(request: ModelRequest): Promise<ModelRequest> {
    return this.#noting(async () => {
      const stopped = this.#calls.stops.toldIn(resultsIn(request).flatMap((result) => wordsOf(result) ?? []));
      if (stopped !== undefined) throw stopped;
      return inCallOrder(await asRecorded(this.#agent, this.#calls, request));
    });
  }

  #record(request: ModelRequest, call: () => Promise<ModelReply>): Promise<ModelReply> {
    const { signal } = request;
    const answered = answeredBy(request);
    return this.#noting(() =>
      this.#agent.model(recordedRequest(request, this.#name), call, { answered, signal }),
    );
  }

  async #noting<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#calls.stops.note(error);
      throw error;
    }
  }
}
