import { createHash } from "node:crypto";
import { sha256Hex } from "../log/canonical-json.js";

/** A document is written in pieces of about so many characters: encoding one takes well under a millisecond. */
export const PIECE_CHARS = 128 * 1024;

/**
 * The bytes of a JSON object with a checksum of everything before it at its end, so that a flipped bit anywhere in the file
 * shows. They come in pieces, each made when it is asked for: who writes a long document lets others have their turn.
 *
 * @param texts the object without its closing brace; no text ends in the middle of a character.
 */
export function* sealedBytes(texts: Iterable<string>): Generator<Uint8Array> {
  const digest = createHash("sha256");
  let texted: string[] = [];
  let chars = 0;
  for (const text of texts) {
    texted.push(text);
    chars += text.length;
    if (chars < PIECE_CHARS) continue;
    const bytes = Buffer.from(texted.join(""), "utf8");
    digest.update(bytes);
    yield bytes;
    texted = [];
    chars = 0;
  }
  const rest = texted.join("");
  digest.update(rest, "utf8");
  yield Buffer.from(rest + sealOf(digest.digest("hex")), "utf8");
}

/** Whether the bytes of a file are what {@link sealedBytes} made, without a copy of them. */
export function isSealed(bytes: Uint8Array): boolean {
  const end = bytes.length - SEAL_LENGTH;
  if (end < 0) return false;
  const digest = createHash("sha256").update(bytes.subarray(0, end)).digest("hex");
  return Buffer.from(bytes.subarray(end)).toString("latin1") === sealOf(digest);
}

/** The text before the checksum, or `undefined` when the checksum is not that text's. */
export function unsealText(text: string): string | undefined {
  const body = text.slice(0, -SEAL_LENGTH);
  return body + sealOf(sha256Hex(body)) === text ? body : undefined;
}

function sealOf(digest: string): string {
  return `,\n"checksum": "${digest}"\n}\n`;
}

const SEAL_LENGTH = sealOf("").length + 64;
