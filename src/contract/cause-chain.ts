import { reasonOf } from "./handler-errors.js";

/** More links say nothing more to a reader; a chain that leads back to itself ends here too. */
const MAX_LINKS = 20;

/** What an error and everything that caused it say, outermost first. Never throws. */
export function causeChain(thrown: unknown): string {
  const reasons: string[] = [];
  let at = thrown;
  do {
    reasons.push(said(at));
    at = causeOf(at);
  } while (at !== undefined && reasons.length < MAX_LINKS);
  return reasons.join("; caused by: ");
}

function said(thrown: unknown): string {
  const reason = reasonOf(thrown);
  try {
    return inFull(thrown, reason);
  } catch {
    return reason;
  }
}

function inFull(thrown: unknown, reason: string): string {
  // An AggregateError of several failed connections has no message of its own.
  if (!(thrown instanceof AggregateError) || !Array.isArray(thrown.errors)) return reason || nameOf(thrown);
  const each = thrown.errors.slice(0, MAX_LINKS).map(reasonOf).join("; ");
  return `${reason || "several failures"} (${each})`;
}

function nameOf(thrown: unknown): string {
  // Whoever throws may have made its name anything.
  const name: unknown = thrown instanceof Error ? thrown.name : undefined;
  return typeof name === "string" ? name : "nothing said";
}

function causeOf(thrown: unknown): unknown {
  try {
    return thrown instanceof Error ? (thrown.cause ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}
