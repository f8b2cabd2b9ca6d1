/** What is so with a place where logs live, in a person's words. */
export interface Finding {
  /** A stable name for it. */
  readonly state: string;
  /** `problem`: a server cannot use it, or records are in doubt. `note`: worth knowing; nothing needs doing at once. `ok`: as it should be. */
  readonly level: "ok" | "note" | "problem";
  /** What was found, naming the thing. */
  readonly says: string;
  /** The next step. */
  readonly next: string;
}

/** Everything that was found, the worst first; never empty. */
export interface Diagnosis {
  /** The folder or database that was looked at. */
  readonly place: string;
  readonly findings: readonly [Finding, ...Finding[]];
}

const LEVELS: readonly Finding["level"][] = ["problem", "note", "ok"];

/** @param healthy what is said when nothing else was found. */
export function diagnosisOf(place: string, found: readonly Finding[], healthy: Finding): Diagnosis {
  const sorted = found.toSorted((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
  const [first, ...others] = sorted;
  return { place, findings: first === undefined ? [healthy] : [first, ...others] };
}
