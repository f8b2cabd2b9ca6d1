import { sha256Hex } from "../log/canonical-json.js";

/** Ends a JSON object with a checksum of everything before it, so that a flipped bit anywhere in the file shows. */
export function sealText(body: string): string {
  return `${body},\n"checksum": "${sha256Hex(body)}"\n}\n`;
}

/** The text before the checksum, or `undefined` when the checksum is not that text's. */
export function unsealText(text: string): string | undefined {
  const body = text.slice(0, -SEAL_LENGTH);
  return sealText(body) === text ? body : undefined;
}

const SEAL_LENGTH = ',\n"checksum": ""\n}\n'.length + 64;
