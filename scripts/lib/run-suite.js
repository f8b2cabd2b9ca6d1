import { noCounts, runFile } from "./run-file.js";

/**
 * Runs the test files of a suite, several at once, and prints what each said when it is done. A suite in which nothing was
 * executed is a failure: a guard that silently does not run does not guard.
 *
 * @param options.concurrency how many files run at once.
 * @param options.timeout milliseconds that one file may take.
 * @param options.print takes a line of text.
 */
export async function runSuite(suite, { concurrency, print, ...options }) {
  const counts = noCounts();
  const failures = [];
  const waiting = [...suite.files];
  const worker = async () => {
    for (let file = waiting.shift(); file !== undefined && !options.signal.aborted; file = waiting.shift()) {
      const done = await runFile(file, options);
      for (const line of done.lines) print(line);
      for (const [key, count] of Object.entries(done.counts)) counts[key] += count;
      failures.push(...done.failures);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));

  if (counts.pass + counts.fail + counts.cancelled === 0) {
    failures.push("nothing was executed in this suite");
    print("  FAIL nothing was executed in this suite");
  }
  return { counts, failures };
}
