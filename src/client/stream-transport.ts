import { parseJson } from "../log/parse-json.js";
import { JsonSyntaxError } from "../log/json-syntax-error.js";
import { ShapeProblem } from "./shape.js";
import { streamFrames, type StreamFrame } from "./stream-frames.js";
import { headersOf, refusalOf, type TransportSettings, type WireRequest } from "./transport.js";
import { TransportError, UnexpectedAnswerError } from "./transport-error.js";

export type StreamRequest = Pick<
  WireRequest<unknown>,
  "method" | "path" | "body" | "bearer" | "driveToken" | "signal"
> & {
  /** The last event that was seen, for a stream that is taken up again. */
  readonly lastEventId?: number | undefined;
};

/** A stream says at least every 15 s that it lives. One that is silent for longer than this is gone, in milliseconds. */
const SILENCE_MS = 30_000;

/** The name of a request in an error, as `GET /v1/runs`. */
export function nameOf({ method, path }: Pick<WireRequest<unknown>, "method" | "path">): string {
  return `${method} ${path.split("?", 1)[0] ?? ""}`;
}

/**
 * The frames that a request is answered with, as they come. It is sent once.
 *
 * @throws a {@link SalvorError}, or the signal's reason when it was aborted.
 */
export async function* openStream(
  request: StreamRequest,
  settings: TransportSettings,
): AsyncGenerator<StreamFrame, void> {
  const { signal } = request;
  signal?.throwIfAborted();
  const name = nameOf(request);
  const ending = new AbortController();
  const abort = (): void => {
    ending.abort(signal?.reason);
  };
  signal?.addEventListener("abort", abort, { once: true });
  let silence: ReturnType<typeof setTimeout> | undefined;
  /** Runs while something is waited for, and not while the one who reads is busy with it. */
  const listening = async <T>(heard: Promise<T>): Promise<T> => {
    silence = setTimeout(
      () => {
        ending.abort(new Error("the stream fell silent"));
      },
      Math.max(SILENCE_MS, settings.timeoutMs),
    );
    return heard.finally(() => {
      clearTimeout(silence);
    });
  };
  try {
    const { fetch } = settings;
    const asked = fetch(settings.url + request.path, {
      method: request.method,
      headers: {
        ...headersOf(request),
        accept: "text/event-stream",
        ...(request.lastEventId !== undefined && { "last-event-id": String(request.lastEventId) }),
      },
      ...(request.body !== undefined && { body: request.body }),
      redirect: "error",
      signal: ending.signal,
    });
    const answer = await listening(asked);
    if (!answer.ok) throw await refusal(name, answer);
    if (!isStream(answer) || answer.body === null) {
      throw new UnexpectedAnswerError(name, answer.status, "no stream of events");
    }
    yield* streamFrames(textOf(answer.body, listening));
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof Answered) throw cause.error;
    if (cause instanceof UnexpectedAnswerError) throw cause;
    throw new TransportError(name, ending.signal.aborted ? ending.signal.reason : cause);
  } finally {
    clearTimeout(silence);
    signal?.removeEventListener("abort", abort);
    // Also when the one who reads has left: the connection goes with them.
    ending.abort();
  }
}

/** Carries an error that the server answered past those of the connection. */
class Answered extends Error {
  constructor(readonly error: unknown) {
    super("answered");
  }
}

async function refusal(name: string, answer: Response): Promise<Error> {
  const { status, headers } = answer;
  const text = await answer.text();
  try {
    return new Answered(refusalOf(status, headers, parseJson(text)));
  } catch (cause) {
    if (!(cause instanceof JsonSyntaxError || cause instanceof ShapeProblem)) throw cause;
    return new UnexpectedAnswerError(name, status, cause.message, cause);
  }
}

function isStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") === true;
}

async function* textOf(
  body: ReadableStream<Uint8Array>,
  listening: <T>(heard: Promise<T>) => Promise<T>,
): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await listening(reader.read());
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}
