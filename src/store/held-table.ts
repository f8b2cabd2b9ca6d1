import { hash } from "node:crypto";
import type { HeldIdentity } from "./changes.js";

/** The call that holds an identity: which run, by its number in the table's owner. */
export interface HeldBy {
  readonly owner: number;
  readonly seq: number;
  readonly settled: boolean;
}

/** The identities of one owner, as a list that starts here; {@link NOTHING_HELD} when there are none. */
export type HeldList = number;
export const NOTHING_HELD: HeldList = 0;

/** Words of an entry: four of the print, the owner, the position and whether it is settled, and the two lists it is in. */
const STRIDE = 8;
const OWNER = 4;
const CALL = 5;
const NEXT_IN_BUCKET = 6;
const NEXT_OF_OWNER = 7;
const CHUNK = 4096;

/**
 * Who holds which identity, in 36 bytes each: there may be hundreds of thousands, of runs that ended long ago, and each must
 * be refused for good. An identity is known here by its print, half of its SHA-256; the text lies in its run's document.
 */
export class HeldTable {
  /** Entries by number, from 1 on; freed ones are a list through {@link NEXT_IN_BUCKET}. */
  readonly #chunks: Uint32Array[] = [];
  #buckets = new Uint32Array(1024);
  #used = 0;
  #count = 0;
  #free = 0;

  get(print: Uint32Array): HeldBy | undefined {
    const entry = this.#find(print);
    return entry === 0 ? undefined : this.#heldBy(entry);
  }

  /** Notes that an owner's call holds an identity; answers the owner's list with it. */
  set(print: Uint32Array, { owner, seq, settled }: HeldBy, list: HeldList): HeldList {
    const call = seq * 2 + (settled ? 1 : 0);
    const known = this.#find(print);
    if (known !== 0) {
      this.#write(known, CALL, call);
      return list;
    }
    const entry = this.#take();
    for (let word = 0; word < 4; word += 1) this.#write(entry, word, print[word] ?? 0);
    this.#write(entry, OWNER, owner);
    this.#write(entry, CALL, call);
    this.#write(entry, NEXT_OF_OWNER, list);
    this.#count += 1;
    this.#link(entry);
    if (this.#count > this.#buckets.length) this.#grow();
    return entry;
  }

  /** Lets an identity go; answers its owner's list without it. */
  delete(print: Uint32Array, list: HeldList): HeldList {
    const entry = this.#find(print);
    if (entry === 0) return list;
    const bucket = this.#bucketOf(entry);
    const rest = this.#read(entry, NEXT_IN_BUCKET);
    if (this.#buckets[bucket] === entry) this.#buckets[bucket] = rest;
    else this.#skip(this.#buckets[bucket] ?? 0, entry, NEXT_IN_BUCKET);
    const others = this.#read(entry, NEXT_OF_OWNER);
    if (list !== entry) this.#skip(list, entry, NEXT_OF_OWNER);
    this.#write(entry, NEXT_IN_BUCKET, this.#free);
    this.#free = entry;
    this.#count -= 1;
    return list === entry ? others : list;
  }

  /** What an owner holds, as the text that {@link readHeld} reads: `print@seq`, with `!` behind it when it is settled. */
  textOf(list: HeldList): string {
    const texts: string[] = [];
    for (let entry = list; entry !== 0; entry = this.#read(entry, NEXT_OF_OWNER)) {
      const words = [0, 1, 2, 3].map((word) => this.#read(entry, word).toString(16).padStart(8, "0"));
      const { seq, settled } = this.#heldBy(entry);
      texts.push(`${words.join("")}@${seq}${settled ? "!" : ""}`);
    }
    return texts.reverse().join(" ");
  }

  #heldBy(entry: number): HeldBy {
    const call = this.#read(entry, CALL);
    return { owner: this.#read(entry, OWNER), seq: call >>> 1, settled: (call & 1) === 1 };
  }

  #find(print: Uint32Array): number {
    let entry = this.#buckets[(print[0] ?? 0) & (this.#buckets.length - 1)] ?? 0;
    while (entry !== 0 && !this.#has(entry, print)) entry = this.#read(entry, NEXT_IN_BUCKET);
    return entry;
  }

  #has(entry: number, print: Uint32Array): boolean {
    for (let word = 0; word < 4; word += 1) if (this.#read(entry, word) !== print[word]) return false;
    return true;
  }

  /** Takes an entry out of one of the lists that it is in and does not start. */
  #skip(first: number, entry: number, list: number): void {
    for (let at = first; at !== 0; at = this.#read(at, list)) {
      if (this.#read(at, list) !== entry) continue;
      this.#write(at, list, this.#read(entry, list));
      return;
    }
  }

  #take(): number {
    if (this.#free !== 0) {
      const entry = this.#free;
      this.#free = this.#read(entry, NEXT_IN_BUCKET);
      return entry;
    }
    if (this.#used % CHUNK === 0) this.#chunks.push(new Uint32Array(CHUNK * STRIDE));
    this.#used += 1;
    return this.#used;
  }

  #grow(): void {
    const before = this.#buckets;
    this.#buckets = new Uint32Array(before.length * 2);
    for (const first of before) {
      for (let entry = first; entry !== 0;) {
        const next = this.#read(entry, NEXT_IN_BUCKET);
        this.#link(entry);
        entry = next;
      }
    }
  }

  #link(entry: number): void {
    const bucket = this.#bucketOf(entry);
    this.#write(entry, NEXT_IN_BUCKET, this.#buckets[bucket] ?? 0);
    this.#buckets[bucket] = entry;
  }

  #bucketOf(entry: number): number {
    return this.#read(entry, 0) & (this.#buckets.length - 1);
  }

  #read(entry: number, word: number): number {
    const at = entry - 1;
    return this.#chunks[Math.floor(at / CHUNK)]?.[(at % CHUNK) * STRIDE + word] ?? 0;
  }

  #write(entry: number, word: number, value: number): void {
    const at = entry - 1;
    const chunk = this.#chunks[Math.floor(at / CHUNK)];
    if (chunk !== undefined) chunk[(at % CHUNK) * STRIDE + word] = value;
  }
}

/** What stands for an identity in memory and in the index. */
export function printOf(identity: string): Uint32Array {
  const digest = hash("sha256", identity, "buffer");
  return Uint32Array.from([0, 4, 8, 12], (at) => digest.readUInt32BE(at));
}

/** The text of what a run holds, from the identities in its document. */
export function heldText(identities: readonly HeldIdentity[]): string {
  const texts = identities.map(({ identity, seq, settled }) => {
    const print = [...printOf(identity)].map((word) => word.toString(16).padStart(8, "0")).join("");
    return `${print}@${seq}${settled ? "!" : ""}`;
  });
  return texts.join(" ");
}

/** Reads what a run holds, as {@link heldText} and {@link HeldTable.textOf} write it. The print that is handed over is the reader's own. */
export function readHeld(
  text: string,
  visit: (print: Uint32Array, seq: number, settled: boolean) => void,
): void {
  const print = new Uint32Array(4);
  for (let at = 0; at < text.length;) {
    for (let word = 0; word < 4; word += 1) print[word] = wordAt(text, at + word * 8);
    let seq = 0;
    // Behind the print comes the @.
    for (at += 33; isDigit(text.charCodeAt(at)); at += 1) seq = seq * 10 + text.charCodeAt(at) - 48;
    const settled = text[at] === "!";
    visit(print, seq, settled);
    at += settled ? 2 : 1;
  }
}

/** Eight hexadecimal digits as a number, without a text for them: a start reads millions. */
function wordAt(text: string, from: number): number {
  let word = 0;
  for (let at = from; at < from + 8; at += 1) {
    const code = text.charCodeAt(at);
    word = word * 16 + (isDigit(code) ? code - 48 : code - 87);
  }
  return word;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
