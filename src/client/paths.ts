import type { RunQuery } from "./answers.js";

/** Where a run is read and decided about. */
export function runPath(run: string): string {
  return `/v1/runs/${encodeURIComponent(run)}`;
}

/** Where a run is driven. */
export function clientRunPath(run: string): string {
  return `/v1/client-runs/${encodeURIComponent(run)}`;
}

/** Where runs are listed. */
export function runsPath(query: RunQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, string | number | undefined][]) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === "" ? "/v1/runs" : `/v1/runs?${text}`;
}
