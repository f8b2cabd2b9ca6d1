import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { SalvorClient } from "../client/salvor-client.js";
import { isAboutAccess, useApi, wordsOf } from "./api.js";
import { connection } from "./connection.js";

export interface Live<T> {
  /** What was answered last; to the question before, while this one has no answer. */
  readonly value: T | undefined;
  /** Whether that is no answer to this question yet. */
  readonly isOld: boolean;
  /** Why there is nothing newer; empty when there is. */
  readonly problem: string;
  /** Asks again at once. */
  readonly reload: () => void;
}

/** How long to wait after a request that got no answer, in milliseconds. */
const AGAIN_MS = 1_000;

/**
 * What the server answers to a question, asked again and again while the page is looked at.
 *
 * @param key names the question: another one is asked at once.
 * @param everyMs how long after an answer it is asked again; 0 for only when `reload` is called.
 */
export function useLive<T>(
  key: string,
  everyMs: number,
  ask: (client: SalvorClient, signal: AbortSignal) => Promise<T>,
): Live<T> {
  const api = useApi();
  const [answer, setAnswer] = useState<{ key: string; value: T } | undefined>(undefined);
  const [problem, setProblem] = useState("");
  const [round, setRound] = useState(0);
  const latest = useRef(ask);
  latest.current = ask;
  const reload = useCallback(() => {
    setRound((before) => before + 1);
  }, []);

  useEffect(() => {
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = (ms: number): void => {
      timer = setTimeout(() => void turn(), ms);
    };
    const turn = async (): Promise<void> => {
      clearTimeout(timer);
      if (document.visibilityState === "hidden" && everyMs > 0) return;
      try {
        const value = await latest.current(api.client, over.signal);
        if (over.signal.aborted) return;
        connection.answered();
        setAnswer({ key, value });
        setProblem("");
        if (everyMs > 0) later(everyMs);
      } catch (error) {
        if (over.signal.aborted) return;
        const isAccess = isAboutAccess(error, api);
        setProblem(wordsOf(error));
        // A token that is none is none the next time too: another one begins anew.
        if (connection.state === "gone") later(AGAIN_MS);
        else if (!isAccess && everyMs > 0) later(everyMs * 2);
      }
    };
    const seen = (): void => {
      if (document.visibilityState === "visible") void turn();
    };
    document.addEventListener("visibilitychange", seen);
    void turn();
    return () => {
      over.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }, [api.client, key, everyMs, round]);

  return { value: answer?.value, isOld: answer?.key !== key, problem, reload };
}
