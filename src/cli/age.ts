const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** How long ago a moment (RFC 3339) was, in its largest whole unit: `3d`, `5h`, `12m`, `0s`. */
export function ageOf(moment: string, now: number): string {
  const passed = Math.max(0, now - Date.parse(moment));
  if (Number.isNaN(passed)) return "?";
  for (const [name, length] of UNITS) if (passed >= length) return `${Math.floor(passed / length)}${name}`;
  return "0s";
}
