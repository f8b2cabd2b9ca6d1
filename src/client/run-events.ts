import { JsonSyntaxError } from "../log/json-syntax-error.js";
import { parseJson } from "../log/parse-json.js";
import type { Envelope } from "../log/events.js";
import { isRandomValue } from "../log/revive-envelope.js";
import type { RunStreamEnd } from "./answers.js";
import type { EventsQuery } from "./client-options.js";
import { runPath } from "./paths.js";
import { readEnvelope, readStreamEnd } from "./readers.js";
import { retryDelay } from "./retry.js";
import { ShapeProblem } from "./shape.js";
import { nameOf, openStream } from "./stream-transport.js";
import { ANSWER_DEPTH, type TransportSettings } from "./transport.js";
import { TransportError, UnexpectedAnswerError } from "./transport-error.js";
import { wait } from "./wait.js";

export interface RunEventsRequest extends EventsQuery {
  readonly run: string;
  readonly bearer: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The events of a run, each once, over as many connections as it takes. Returns what the run rests at in the end. */
export async function* runEvents(
  { run, fromSeq = 0, follow = false, bearer, signal }: RunEventsRequest,
  settings: TransportSettings,
): AsyncGenerator<Envelope, RunStreamEnd> {
  const path = `${runPath(run)}/events?from_seq=${fromSeq}${follow ? "&follow=1" : ""}`;
  const name = nameOf({ method: "GET", path });
  let last: number | undefined;
  for (let failures = 0; ;) {
    try {
      const request = { method: "GET", path, bearer, signal, lastEventId: last } as const;
      for await (const { event, data } of openStream(request, settings)) {
        if (event === "end")
          return read(name, () => readStreamEnd(parseJson(data, { maxDepth: ANSWER_DEPTH })));
        if (event !== undefined) continue;
        const envelope = read(name, () =>
          readEnvelope(parseJson(data, { maxDepth: ANSWER_DEPTH, u64At: isRandomValue })),
        );
        failures = 0;
        last = envelope.seq;
        yield envelope;
      }
      throw new TransportError(name, new Error("the stream ended before the run did"));
    } catch (error) {
      signal?.throwIfAborted();
      failures += 1;
      const delay = retryDelay(error, failures, settings);
      if (delay === undefined) throw error;
      await wait(delay, signal);
    }
  }
}

function read<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof JsonSyntaxError || cause instanceof ShapeProblem)) throw cause;
    throw new UnexpectedAnswerError(name, 200, cause.message, cause);
  }
}
