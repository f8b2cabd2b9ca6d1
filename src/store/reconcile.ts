import type { Ledger, LedgerRun } from "./ledger.js";
import { restoreRun } from "./restore-run.js";
import type { RunFiles } from "./run-files.js";
import type { FileStat } from "./write-layer.js";

/** How many documents are looked at at the same time. */
const READERS = 16;

/**
 * Compares what the index and the journal say with the documents on disk. A document that was written after the index, by a
 * checkpoint that was cut short, is taken over; one that was changed by anybody else makes its run unreadable, and no other.
 * Only files that are not as they were written are opened.
 */
export async function reconcile(ledger: Ledger, files: RunFiles): Promise<void> {
  const work = ledger.runs.values();
  await Promise.all(
    Array.from({ length: READERS }, async () => {
      for (const run of work) {
        await reconcileRun(ledger, files, run);
        refuseGap(ledger, run);
      }
    }),
  );
}

async function reconcileRun(ledger: Ledger, files: RunFiles, run: LedgerRun): Promise<void> {
  const { covered } = run;
  const file = await files.stat(run.view.run);
  if (run.unreadable === undefined && isSame(file, covered.file)) return;
  // It may have been put right since.
  delete run.unreadable;
  const entry = await restoreRun(files, run.view.run);
  const { unreadable } = entry;
  const found = entry.covered;
  const newer = found.change > covered.change;
  if (unreadable !== undefined) ledger.distrust(run, unreadable.seq, unreadable.detail);
  else if (file === undefined) ledger.distrust(run, 0, "its document is gone");
  else if (found.change > run.change) ledger.distrust(run, covered.count, NEWER);
  else if (found.change < covered.change) ledger.distrust(run, found.count, OLDER);
  else if (!newer && (found.count !== covered.count || found.tip !== covered.tip)) {
    ledger.distrust(
      run,
      Math.min(found.count, covered.count),
      "its document is not the one that was written",
    );
  } else {
    ledger.cover(run, found, Math.max(0, covered.count + run.tail.length - found.count));
    // Its name may not be durable yet: it is written again before the journal goes.
    if (newer) ledger.dirty.add(run);
  }
}

/** What lies in the document and what came from the journal have to meet. */
function refuseGap(ledger: Ledger, run: LedgerRun): void {
  const { view, covered, tail } = run;
  const end = covered.count + tail.length;
  if (view.erased || view.state.nextSeq === end) return;
  ledger.distrust(run, end, `its log has ${view.state.nextSeq} events, and only ${end} of them are there`);
}

const NEWER =
  "its document is newer than the index and the journal; remove the folder index/ to read all documents again";
const OLDER = "its document is older than the index";

function isSame(a: FileStat | undefined, b: FileStat | undefined): boolean {
  return a?.size === b?.size && a?.changedAt === b?.changedAt;
}
