import type { JsonValue } from "../contract/json.js";
import { canonicalJson } from "../log/canonical-text.js";

/**
 * `"sha256:"` and the lower-case hex SHA-256 of a value's canonical text: what `modelIntent` takes as `requestHash`. The same as
 * the server computes, without anything of Node: a browser's own digest answers late, and not everywhere.
 *
 * @example
 * console.log(hashValue({ b: 1, a: [] }) === hashValue({ a: [], b: 1 })); // true
 */
export function hashValue(value: JsonValue): string {
  return `sha256:${sha256Hex(new TextEncoder().encode(canonicalJson(value)))}`;
}

/** FIPS 180-4, 4.2.2 and 5.3.3: the first 32 bits of the fractional parts of roots of the first 64 primes. */
const PRIMES = firstPrimes(64);
const ROUND = Uint32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));
const START = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

function sha256Hex(bytes: Uint8Array): string {
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  const state = START.slice();
  const words = new Uint32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    for (let t = 0; t < 16; t += 1) words[t] = view.getUint32(at + 4 * t);
    compress(state, words);
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

/** One block (6.2.2). Arithmetic is modulo 2^32: that of the arrays. */
function compress(state: Uint32Array, words: Uint32Array): void {
  const word = (t: number): number => words[t] ?? 0;
  for (let t = 16; t < 64; t += 1) {
    const s0 = rotate(word(t - 15), 7) ^ rotate(word(t - 15), 18) ^ (word(t - 15) >>> 3);
    const s1 = rotate(word(t - 2), 17) ^ rotate(word(t - 2), 19) ^ (word(t - 2) >>> 10);
    words[t] = word(t - 16) + s0 + word(t - 7) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < 64; t += 1) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + s1 + ((e & f) ^ (~e & g)) + (ROUND[t] ?? 0) + word(t)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, at) => (state[at] = (state[at] ?? 0) + value));
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}

function firstPrimes(count: number): readonly number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate += 1) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes;
}
