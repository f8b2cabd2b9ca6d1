import { quoted } from "../decide/decision.js";

/** Reads a run's events from a position on, on a command line. The token is not in it, only the variable that holds it. */
export function readingCurl(run: string, from: number, hasToken: boolean): string {
  const url = quoted(`${location.origin}/v1/runs/${run}/events?from_seq=${from}`);
  return `curl -N${hasToken ? ' -H "Authorization: Bearer $SALVOR_TOKEN"' : ""} ${url}`;
}
