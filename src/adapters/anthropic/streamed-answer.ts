import { Stream } from "@anthropic-ai/sdk/core/streaming";
import { BetaMessageStream } from "@anthropic-ai/sdk/lib/BetaMessageStream";
import type { JsonObject } from "../../contract/json.js";
import { EventQueue } from "../event-queue.js";
import { jsonOf } from "../json-of.js";

/** An answer that is still coming: handed on as it comes, up to its end, which waits until the answer is recorded. */
export class StreamedAnswer {
  /** What the SDK reads. */
  readonly response: Response;
  readonly #live: Response;
  readonly #frames = new EventQueue<string>();
  readonly #after: string[] = [];

  constructor(live: Response) {
    this.#live = live;
    const body = ReadableStream.from(this.#frames).pipeThrough(new TextEncoderStream());
    this.response = new Response(body, { status: live.status, headers: live.headers });
  }

  /** Reads the whole message, as the SDK itself puts it together. */
  async message(): Promise<JsonObject> {
    const events = new EventQueue<string>();
    const body = ReadableStream.from(events).pipeThrough(new TextEncoderStream());
    let message: object | undefined;
    // As the SDK puts it together, before it parses what it says: that is done again whenever it is read.
    const whole = BetaMessageStream.fromReadableStream(body).on("streamEvent", (_event, snapshot) => {
      message = snapshot;
    });
    const ended = whole.done();
    ended.catch(() => undefined);
    let isOver = false;
    for await (const { event, data, raw } of Stream.rawEvents(this.#live)) {
      isOver ||= event === "message_stop";
      const frame = `${raw.join("\n")}\n\n`;
      if (isOver) this.#after.push(frame);
      else this.#frames.push(frame);
      if (event === "error") throw new Error(`the provider's stream ended in an error: ${data}`);
      if (event !== null && event !== "ping") events.push(`${data}\n`);
    }
    events.close();
    if (!isOver) throw new Error("the provider's stream ended before its message did");
    await ended;
    if (message === undefined) throw new Error("the provider's stream holds no message");
    return jsonOf(message) as JsonObject;
  }

  /** The answer is recorded: its end may be read. */
  close(): void {
    this.#frames.push(...this.#after);
    this.#frames.close();
  }

  /** It is not, for this reason. */
  fail(error: unknown): void {
    this.#frames.fail(error);
  }
}
