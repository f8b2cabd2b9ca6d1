const MOST_KEYS = 20;
const LONGEST_KEY = 60;

/** The keys that something has, for an error message that stays short whatever was sent: `id, note and 12 more`. */
export function keyList(keys: readonly string[]): string {
  if (keys.length === 0) return "no keys";
  const more = keys.length - MOST_KEYS;
  const shown = keys.slice(0, MOST_KEYS).map(shortKey).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** A key in full, or its start when it is too long to be read. */
export function shortKey(key: string): string {
  return key.length <= LONGEST_KEY ? key : `${key.slice(0, LONGEST_KEY).toWellFormed()}…`;
}
