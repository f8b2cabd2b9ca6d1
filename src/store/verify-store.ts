import { TamperEvident } from "./errors.js";
import type { EventStore } from "./event-store.js";
import type { VerifyFinding, VerifyReport } from "./verify-folder.js";

/** How many summaries are asked for at once. */
const PAGE = 500;

/**
 * Checks the hash chain of every run of a store, through its port. A run whose log ends before its store has seen the end of it
 * is named with the first position that is missing.
 *
 * @param file what a finding says the events lie in.
 * @throws StoreUnavailable when the store does not answer.
 */
export async function verifyStore(
  store: EventStore,
  file: string,
  onProgress?: (runs: number) => void,
): Promise<VerifyReport> {
  const findings: VerifyFinding[] = [];
  let runs = 0;
  let events = 0;
  let after: string | undefined;
  do {
    const page = await store.summaries({ limit: PAGE, ...(after !== undefined && { after }) });
    for (const { run } of page.runs) {
      try {
        events += (await store.readLog(run)).length;
      } catch (error) {
        if (!(error instanceof TamperEvident)) throw error;
        events += error.seq;
        findings.push({ file, run, seq: error.seq, detail: error.message });
      }
      runs += 1;
      onProgress?.(runs);
    }
    after = page.next;
  } while (after !== undefined);
  return { runs, events, torn: 0, findings };
}
