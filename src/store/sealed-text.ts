import { createHash } from "node:crypto";
import { sha256Hex } from "../log/canonical-json.js";

/** Ends a JSON object with a checksum of everything before it, so that a flipped bit anywhere in the file shows. */
export function sealText(body: string): string {
  return body + sealOf(sha256Hex(body));
}

/** Whether the bytes of a file are what {@link sealText} made, without a copy of them. */
export function isSealed(bytes: Uint8Array): boolean {
  const end = bytes.length - SEAL_LENGTH;
  if (end < 0) return false;
  const digest = createHash("sha256").update(bytes.subarray(0, end)).digest("hex");
  return Buffer.from(bytes.subarray(end)).toString("latin1") === sealOf(digest);
}

/** The text before the checksum, or `undefined` when the checksum is not that text's. */
export function unsealText(text: string): string | undefined {
  const body = text.slice(0, -SEAL_LENGTH);
  return sealText(body) === text ? body : undefined;
}

function sealOf(digest: string): string {
  return `,\n"checksum": "${digest}"\n}\n`;
}

const SEAL_LENGTH = sealOf("").length + 64;
