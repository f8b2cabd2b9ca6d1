import type { ModelResult, StreamPart } from "./model-types.js";
import { StreamedAnswer } from "./stream-content.js";

/**
 * A model's stream on its way to the AI SDK, which performs a tool call as soon as it sees it. So what the model says goes on at
 * once, up to its first tool call; that one, what comes behind it, and the end are held until the answer is recorded.
 */
export class LiveStream {
  readonly stream: ReadableStream<StreamPart>;
  readonly #source: ReadableStreamDefaultReader<StreamPart>;
  readonly #held: StreamPart[] = [];
  #out: ReadableStreamDefaultController<StreamPart> | undefined;
  #hasToldError = false;

  constructor(source: ReadableStream<StreamPart>) {
    this.#source = source.getReader();
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#out = controller;
      },
      // Whoever reads it stops the model, as without this in between.
      cancel: (reason) => {
        this.#out = undefined;
        return this.#source.cancel(reason);
      },
    });
  }

  /**
   * Lets the model answer to its end.
   *
   * @throws what it failed with, or that its answer is not complete.
   */
  async answer(): Promise<ModelResult> {
    const answer = new StreamedAnswer();
    try {
      for (let read = await this.#source.read(); !read.done; read = await this.#source.read()) {
        answer.add(read.value);
        this.#pass(read.value);
      }
    } catch (error) {
      this.#out?.error(error);
      this.#out = undefined;
      throw error;
    }
    return answer.result;
  }

  /** The answer is recorded: the rest may go on. */
  release(): void {
    for (const part of this.#held) this.#out?.enqueue(part);
    this.#out?.close();
  }

  /** The answer is not recorded, and never goes on. */
  fail(error: unknown): void {
    if (!this.#hasToldError) this.#out?.enqueue({ type: "error", error });
    this.#out?.close();
  }

  #pass(part: StreamPart): void {
    if (this.#held.length > 0 || part.type === "tool-call" || part.type === "finish") this.#held.push(part);
    else this.#out?.enqueue(part);
    this.#hasToldError ||= part.type === "error" && this.#held.length === 0;
  }
}
