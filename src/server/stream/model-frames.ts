import { toApiError } from "../error-mapping.js";
import type { ModelCall } from "../model/model-call.js";
import type { ModelAnswer } from "../model/model-executor.js";
import { Bell } from "./bell.js";
import { KEEP_ALIVE_FRAME, namedFrame } from "./frames.js";
import { Silence } from "./silence.js";

export interface ModelFramesOptions {
  /** After how much silence the stream says that it lives, in milliseconds. */
  readonly keepAliveMs: number;
  /** The reader has gone. */
  readonly gone: AbortSignal;
  /** Takes a failure that the stream tells its reader of. */
  readonly failed: (error: unknown) => void;
}

/** The frames of a model step (docs/http-api.md, "Model step"): what the model says, and in the end what is recorded. */
export async function* modelFrames(
  call: ModelCall,
  { keepAliveMs, gone, failed }: ModelFramesOptions,
): AsyncGenerator<string, void> {
  const next = call.reading();
  const bell = new Bell();
  const silence = new Silence(keepAliveMs);
  const ring = (): void => {
    bell.ring();
  };
  const leave = call.listen(bell);
  gone.addEventListener("abort", ring);
  try {
    for (;;) {
      const delta = next();
      if (gone.aborted) return;
      if (delta !== undefined) yield namedFrame("delta", delta);
      else if (call.over) break;
      else {
        // A model may say what is no frame.
        await bell.wait(silence.leftMs);
        if (silence.leftMs > 0) continue;
        yield KEEP_ALIVE_FRAME;
      }
      silence.end();
    }
    yield await lastFrame(call, failed);
  } finally {
    gone.removeEventListener("abort", ring);
    leave();
  }
}

async function lastFrame(call: ModelCall, failed: (error: unknown) => void): Promise<string> {
  try {
    return completeFrame(await call.answer);
  } catch (error) {
    failed(error);
    return namedFrame("error", { message: toApiError(error).message });
  }
}

/** The end of a model step: what is recorded. */
export function completeFrame({ response, usage }: ModelAnswer): string {
  return namedFrame("complete", { response, usage });
}
