import assert from "node:assert/strict";
import { assertDescribed, assertFrameDescribed } from "./contract.js";

type Bytes = ReadableStreamDefaultReader<Uint8Array>;

/** One block of a stream of server-sent events, as it was sent. */
export interface Frame {
  readonly text: string;
  readonly id?: number;
  readonly event?: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly data?: any;
}

/** Reads a stream of server-sent events frame by frame. */
export class EventStream {
  #buffer = "";
  readonly #decoder = new TextDecoder();

  private constructor(
    readonly response: Response,
    private readonly reader: Bytes,
    private readonly stop: AbortController,
    readonly method: string,
    readonly path: string,
  ) {}

  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<EventStream> {
    return EventStream.ask(url, { headers });
  }

  /** The stream that a request is answered with. */
  static async ask(url: string, init: RequestInit): Promise<EventStream> {
    const stop = new AbortController();
    const response = await fetch(url, { ...init, signal: stop.signal });
    assert.ok(response.body);
    assert.equal(response.status, 200);
    const { pathname } = new URL(url);
    const { method = "GET" } = init;
    assertDescribed({ method, path: pathname, status: 200, headers: response.headers });
    return new EventStream(response, response.body.getReader() as Bytes, stop, method, pathname);
  }

  /** The next frame, or `undefined` when the stream has ended. */
  async next(): Promise<Frame | undefined> {
    for (;;) {
      const end = this.#buffer.indexOf("\n\n");
      if (end >= 0) {
        const text = this.#buffer.slice(0, end);
        this.#buffer = this.#buffer.slice(end + 2);
        const frame = frameOf(text);
        if (frame.data !== undefined) assertFrameDescribed(this, frame.event, frame.data);
        return frame;
      }
      const { done, value } = await this.reader.read();
      if (done) {
        assert.equal(this.#buffer, "", "the stream ended inside a frame");
        return undefined;
      }
      this.#buffer += this.#decoder.decode(value, { stream: true });
    }
  }

  /** The next frame that is no comment. */
  async nextEvent(): Promise<Frame | undefined> {
    for (;;) {
      const frame = await this.next();
      if (frame?.text.startsWith(":") !== true) return frame;
    }
  }

  /** The positions up to the end frame, and what that says. */
  async rest() {
    const seqs: number[] = [];
    for (;;) {
      const frame = await this.nextEvent();
      if (frame === undefined) return { seqs, end: undefined };
      if (frame.event === "end") {
        assert.equal(await this.next(), undefined, "something followed the end");
        return { seqs, end: frame.data };
      }
      assert.equal(frame.id, frame.data.seq);
      seqs.push(frame.data.seq as number);
    }
  }

  /** Goes away, as a reader does whose process ends. */
  leave(): void {
    this.stop.abort();
  }
}

function frameOf(text: string): Frame {
  const fields = new Map(
    text.split("\n").map((line) => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)] as const;
    }),
  );
  const [id, event, data] = [fields.get("id"), fields.get("event"), fields.get("data")];
  return {
    text,
    ...(id !== undefined && { id: Number(id) }),
    ...(event !== undefined && { event }),
    ...(data !== undefined && { data: JSON.parse(data) as unknown }),
  };
}
