import { UnknownCursor } from "./errors.js";
/** Where a run stands in a list: by its first event, then by its id. */
export interface OrderKey {
  readonly firstRecordedAt: string;
  readonly run: string;
}

/** The runs that have events, in the order in which they are listed. */
export class RunOrder {
  readonly #keys: OrderKey[] = [];

  add({ firstRecordedAt, run }: OrderKey): void {
    const key = { firstRecordedAt, run };
    this.#keys.splice(this.#rank(key), 0, key);
  }

  remove(key: OrderKey): void {
    const rank = this.#rank(key);
    if (this.#keys[rank]?.run === key.run) this.#keys.splice(rank, 1);
  }

  /** The runs behind a place, which need not be in the list any more; all of them without one. */
  *after(place?: OrderKey): Generator<OrderKey> {
    let rank = place === undefined ? 0 : this.#rank(place);
    if (place !== undefined && this.#keys[rank]?.run === place.run) rank += 1;
    for (; rank < this.#keys.length; rank += 1) {
      const key = this.#keys[rank];
      if (key !== undefined) yield key;
    }
  }

  /** The runs before a place, the last of them first; all of them without one. */
  *before(place?: OrderKey): Generator<OrderKey> {
    let rank = (place === undefined ? this.#keys.length : this.#rank(place)) - 1;
    for (; rank >= 0; rank -= 1) {
      const key = this.#keys[rank];
      if (key !== undefined) yield key;
    }
  }

  /** How many keys come before this one. */
  #rank(key: OrderKey): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#keys[middle];
      if (other !== undefined && isBefore(other, key)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isBefore(a: OrderKey, b: OrderKey): boolean {
  if (a.firstRecordedAt !== b.firstRecordedAt) return a.firstRecordedAt < b.firstRecordedAt;
  return a.run < b.run;
}

/** A place in the list as an opaque text. */
export function cursorOf({ firstRecordedAt, run }: OrderKey): string {
  return Buffer.from(JSON.stringify([firstRecordedAt, run]), "utf8").toString("base64url");
}

/** @throws RangeError when the text is none of ours. */
export function readCursor(cursor: string): OrderKey {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (Array.isArray(parsed) && typeof parsed[0] === "string" && typeof parsed[1] === "string") {
      return { firstRecordedAt: parsed[0], run: parsed[1] };
    }
  } catch {
    // Said below.
  }
  throw new UnknownCursor(cursor);
}
