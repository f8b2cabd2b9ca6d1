import { noCounts, runFile } from "./run-file.js";

/**
 * Runs the test files of a suite, each when there is a slot for it, and prints what each said when it is done. A suite in which
 * nothing was executed is a failure: a guard that silently does not run does not guard.
 *
 * @param options.slots lets so many files run at once, of this suite and of others.
 * @param options.timeout milliseconds that one file may take.
 * @param options.print takes a line of text.
 * @returns what was counted, the titles of what failed, and the milliseconds from the start of the first file to the end of the last.
 */
export async function runSuite(suite, { slots, print, ...options }) {
  const counts = noCounts();
  const failures = [];
  let begun;
  let isCut = false;
  const take = async (file) => {
    begun ??= performance.now();
    if (options.signal.aborted) {
      isCut = true;
      return;
    }
    const done = await runFile(file, options);
    for (const line of done.lines) print(line);
    for (const [key, count] of Object.entries(done.counts)) counts[key] += count;
    failures.push(...done.failures);
  };
  await Promise.all(suite.files.map((file) => slots.run(() => take(file))));
  const ms = performance.now() - begun;

  if (isCut) failures.push("not run to its end");
  else if (counts.pass + counts.fail + counts.cancelled === 0) {
    failures.push("nothing was executed in this suite");
    print("  FAIL nothing was executed in this suite");
  }
  return { counts, failures, ms };
}
