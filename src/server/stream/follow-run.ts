import { isParked, isTerminal, type RunStatus } from "../../log/fold.js";
import type { AppState } from "../app-state.js";
import { Bell } from "./bell.js";
import { endFrame, eventFrame, KEEP_ALIVE_FRAME } from "./frames.js";
import { Silence } from "./silence.js";

export interface FollowOptions {
  readonly run: string;
  /** The first position that is wanted; it may lie ahead of the log. */
  readonly from: number;
  /** Whether only the end of the run ends the stream. */
  readonly follow: boolean;
  /** The reader has gone, or this server stops. */
  readonly over: AbortSignal;
}

/** How many events are read at once: all that a slow reader holds in memory. */
const PAGE = 16;

/**
 * The frames of a run's event stream (docs/http-api.md, "The event stream"). They are made as they are taken, and only from
 * the durable log: an append does no more than ring, so no event is lost, doubled or kept for a reader who is slow.
 */
export async function* followRun(state: AppState, options: FollowOptions): AsyncGenerator<string, void> {
  const { run, follow, over } = options;
  const bell = new Bell();
  const silence = new Silence(state.keepAliveMs);
  const ring = (): void => {
    bell.ring();
  };
  // Before the first read: what becomes durable after it rings.
  const unsubscribe = state.store.subscribe(run, ring);
  over.addEventListener("abort", ring);
  const isOver = (): boolean => over.aborted;
  try {
    let next = options.from;
    while (!isOver()) {
      const page = await state.store.readLog(run, next, PAGE);
      for (const envelope of page) {
        if (isOver()) return;
        yield eventFrame(envelope);
        silence.end();
        next = envelope.seq + 1;
      }
      if (page.length > 0) continue;

      const { status, nextSeq } = await state.recorder.state(run);
      if (nextSeq > next) continue;
      if (rests(status, follow)) {
        yield endFrame(status, false);
        return;
      }
      const attachedMs = state.drivers.attachedFor(run);
      if (attachedMs === 0 && !follow) {
        yield endFrame(status, true);
        return;
      }
      // What becomes durable ahead of where the reader begins rings too, and says nothing to it.
      await bell.wait(follow ? silence.leftMs : Math.min(silence.leftMs, attachedMs));
      if (silence.leftMs > 0) continue;
      yield KEEP_ALIVE_FRAME;
      silence.end();
    }
  } finally {
    over.removeEventListener("abort", ring);
    unsubscribe();
  }
}

/** Whether a stream has nothing to wait for in this state: the run has ended, or goes on only when a person has decided. */
function rests(status: RunStatus, follow: boolean): boolean {
  if (isTerminal(status)) return true;
  return !follow && (isParked(status) || status.state === "needs_reconciliation");
}
