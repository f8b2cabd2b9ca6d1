import { MAX_BODY_BYTES } from "../layers/body.js";
import type { ModelDelta } from "./model-executor.js";
import { ModelFailure } from "./model-failure.js";

/** The most characters of one frame. */
const FRAME = 16 * 1024;

/** What a counts delta takes of the bound. */
const COUNTS = 64;

interface Words {
  readonly type: "text_delta" | "thinking_delta";
  text: string;
}

type Piece = Words | Extract<ModelDelta, { readonly type: "usage" }>;

/**
 * What a model has said so far, once for all who listen: each reads it from the beginning and at their own pace, so that
 * one who is slow costs nothing. Words of one kind that follow one another are one piece.
 */
export class DeltaLog {
  readonly #pieces: Piece[] = [];
  #size = 0;

  /** @throws {@link ModelFailure} when it is more than any recorded answer could hold. */
  add(delta: ModelDelta): void {
    const piece: Piece =
      delta.type === "usage"
        ? delta
        : { type: delta.type, text: delta.type === "text_delta" ? delta.text : delta.thinking };
    if ("text" in piece && piece.text === "") return;
    this.#size += "text" in piece ? piece.text.length : COUNTS;
    if (this.#size > MAX_BODY_BYTES) throw new ModelFailure("the model's answer is too large to be recorded");
    const last = this.#pieces.at(-1);
    if (last !== undefined && "text" in last && "text" in piece && last.type === piece.type) {
      last.text += piece.text;
    } else {
      this.#pieces.push(piece);
    }
  }

  /** A reading from the beginning: each call answers what comes next, or `undefined` when nothing more was said yet. */
  reading(): () => ModelDelta | undefined {
    let at = 0;
    let read = 0;
    return () => {
      for (;;) {
        const piece = this.#pieces[at];
        if (piece === undefined) return undefined;
        if (!("text" in piece)) {
          at += 1;
          return piece;
        }
        const text = wholeCharacters(piece.text.slice(read, read + FRAME));
        if (text !== "") {
          read += text.length;
          return piece.type === "text_delta"
            ? { type: "text_delta", text }
            : { type: "thinking_delta", thinking: text };
        }
        if (at + 1 === this.#pieces.length) return undefined;
        at += 1;
        read = 0;
      }
    };
  }
}

/** Without half a surrogate pair at its end: the other half follows. */
function wholeCharacters(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
