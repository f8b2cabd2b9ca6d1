import { useEffect, useState } from "preact/hooks";
import type { Envelope } from "../../log/events.js";
import { isAboutAccess, useApi, wordsOf } from "../api.js";
import { connection } from "../connection.js";

export interface Tail {
  readonly events: readonly Envelope[];
  /** Whether everything that was recorded when the page opened is here. */
  readonly isLive: boolean;
  readonly hasEnded: boolean;
  readonly problem: string;
}

/** How long events are gathered before they are drawn, in milliseconds. */
const GATHER_MS = 60;
const AGAIN_MS = 1_000;

/** The events of a run as they are recorded, from the first on. A connection that breaks is taken up behind the last one. */
export function useTail(run: string): Tail {
  const api = useApi();
  const [tail, setTail] = useState<Tail>(NOTHING);

  useEffect(() => {
    const over = new AbortController();
    const events: Envelope[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (change: Partial<Tail> = {}): void => {
      clearTimeout(timer);
      timer = undefined;
      setTail((before) => ({ ...before, events: [...events], ...change }));
    };
    const read = async (): Promise<void> => {
      const query = { fromSeq: events.length, follow: true };
      for await (const envelope of api.client.events(run, query, { signal: over.signal })) {
        connection.answered();
        events.push(envelope);
        timer ??= setTimeout(() => show({ isLive: true, problem: "" }), GATHER_MS);
      }
      show({ isLive: true, hasEnded: true, problem: "" });
    };
    const keepReading = async (): Promise<void> => {
      for (;;) {
        try {
          await read();
          return;
        } catch (error) {
          if (over.signal.aborted) return;
          const isAccess = isAboutAccess(error, api);
          show({ problem: wordsOf(error) });
          if (connection.state !== "gone") {
            if (isAccess) return;
            if (!isPassing(error)) return;
          }
          await new Promise((again) => setTimeout(again, AGAIN_MS));
        }
      }
    };
    setTail(NOTHING);
    void keepReading();
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [api.client, run]);

  return tail;
}

const NOTHING: Tail = { events: [], isLive: false, hasEnded: false, problem: "" };

/** Whether the same request may be answered otherwise later. */
function isPassing(error: unknown): boolean {
  const status = (error as { readonly status?: unknown }).status;
  return typeof status !== "number" || status >= 500;
}
