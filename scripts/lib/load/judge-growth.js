/**
 * What a run may keep in memory, in bytes. The store knows every run that it ever had: its state, its place in the list, the
 * identities that its calls hold; and caches of a fixed size fill with the runs that were seen last. That is history, not a
 * leak, and it is counted by the run.
 */
const HEAP_PER_RUN = 6 * 1024;
/** What the heap may differ by for other reasons between two looks, in bytes. */
const HEAP_SLACK = 8 * 1024 * 1024;
/** What of the memory that the heap once had the process does not give back at once, in bytes, beside what runs keep. */
const RSS_SLACK = 48 * 1024 * 1024;

/**
 * Judges samples that were taken at rest: whether anything grew from the end of the first third to the end. What is left
 * open, and what lies beside the runs on disk, must not grow at all.
 */
export function judgeGrowth(samples) {
  const first = samples[Math.floor(samples.length / 3)] ?? samples[0];
  const last = samples.at(-1);
  const runs = last.runs - first.runs;
  const heap = (last.heap_mb - first.heap_mb) * 1e6;
  const rss = (last.rss_mb - first.rss_mb) * 1e6;
  const allowed = runs * HEAP_PER_RUN;
  const mb = (bytes) => bytes / 1e6;
  const figure = (what, value, limit, unit) => ({ what, value, limit: Math.round(limit * 10) / 10, unit });
  const figures = [
    figure(`heap after ${runs} more runs`, mb(heap), mb(allowed + HEAP_SLACK), "MB more"),
    figure("resident memory", mb(rss), mb(allowed + RSS_SLACK), "MB more"),
    figure("handles of the event loop", last.handles - first.handles, 0, "more"),
    figure("open file descriptors", last.fds - first.fds, 0, "more"),
    figure("open event streams", last.streams, 0, "left"),
    figure("files beside those of runs", last.other_files - first.other_files, 0, "more"),
    figure("files of runs, for each run", last.run_files / last.runs, 1.1, "files"),
  ];
  const grown = figures.filter(({ value, limit }) => value > limit).map(({ what }) => what);
  return { figures, grown };
}
