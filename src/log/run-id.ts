const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The lower-case form of a run id, or `undefined` when the text is not a hyphenated UUID (RFC 9562, any case). */
export function parseRunId(text: unknown): string | undefined {
  return typeof text === "string" && UUID.test(text) ? text.toLowerCase() : undefined;
}
