import type { SalvorClient } from "../../client/salvor-client.js";
import { isFailureOutput } from "../../contract/reserved.js";
import { holds, type Envelope } from "../../log/events.js";
import type { JsonValue } from "../../contract/json.js";

/** How what a run waited for was ended, and by whom as far as the log knows. */
export interface Ending {
  /** As `settled it: it did not happen`, after a name. */
  readonly words: string;
  readonly by: string | undefined;
  readonly note: string | undefined;
  readonly value: JsonValue | undefined;
  readonly at: string;
}

/** How long an event that is recorded may take to arrive, in milliseconds. */
const LONGEST_MS = 3_000;

/** What is recorded right behind a position, or `undefined` when nothing is. */
export async function whatHappened(
  client: SalvorClient,
  run: string,
  seq: number,
): Promise<Ending | undefined> {
  const over = new AbortController();
  // Without following, the stream of a run that rests ends by itself; that of one that moves would stay open.
  const timer = setTimeout(() => {
    over.abort(new Error("nothing was recorded behind it"));
  }, LONGEST_MS);
  try {
    for await (const envelope of client.events(run, { fromSeq: seq + 1 }, { signal: over.signal })) {
      return endingOf(envelope);
    }
    return undefined;
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

export function endingOf(envelope: Envelope): Ending {
  const at = envelope.recorded_at;
  const none = { by: undefined, note: undefined, value: undefined, at };
  if (holds(envelope, "ToolCallCompleted")) {
    const { output, resolved_by: decided } = envelope.event.payload;
    const words = isFailureOutput(output)
      ? output.__salvor_error.attempts === 0
        ? "settled it: it did not happen"
        : "reported that it failed"
      : decided === undefined
        ? "recorded what came of it"
        : "settled it: it happened";
    return { words, by: decided?.operator, note: decided?.note, value: output, at };
  }
  if (holds(envelope, "Resumed"))
    return { ...none, words: "resumed the run", value: envelope.event.payload.input };
  if (holds(envelope, "RunAbandoned"))
    return { ...none, words: "abandoned the run", note: envelope.event.payload.reason };
  return { ...none, words: `recorded ${envelope.event.kind}` };
}
