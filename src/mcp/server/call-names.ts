import { createHash } from "node:crypto";
import type { JsonValue } from "../../contract/json.js";
import { hashValue } from "../../log/canonical-json.js";

/** How often one name may be tried again after definite failures. */
export const MOST_ATTEMPTS = 100;

/**
 * The run of a call that its client has named: the same for the same name, in every process on the store.
 *
 * @param attempt how often the call has definitely failed before: such a call may be tried again under its name.
 */
export function runOfName(name: string, attempt: number): string {
  return uuidOf(hashValue({ mcp_call: name, attempt }));
}

/**
 * What a call without a name is held under while its answer has reached nobody: its tool and its input.
 *
 * @param generation how many runs before held it and ended, by a person's hand, without letting go of it.
 */
export function unansweredIdentity(tool: string, input: JsonValue, generation: number): string {
  return `mcp-unanswered:${hashValue({ tool, input, generation })}`;
}

/** A UUID made of a hash (version 8, RFC 9562). */
function uuidOf(text: string): string {
  const bytes = createHash("sha256").update(text).digest().subarray(0, 16);
  bytes.writeUInt8(((bytes[6] ?? 0) & 0x0f) | 0x80, 6);
  bytes.writeUInt8(((bytes[8] ?? 0) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
