import { verifyFolder, type VerifyFinding, type VerifyReport } from "../store/verify-folder.js";
import { verifyStore } from "../store/verify-store.js";
import { EXIT, type ExitCode } from "./cli-error.js";
import type { VerifyOptions } from "./commands/verify.js";
import { databaseOf, readDatabase } from "./database.js";
import { existingFolder, folderError } from "./data-folder.js";
import { printable } from "./printable.js";
import { progressLine } from "./progress-line.js";
import { shellWord } from "./shell-word.js";
import { out, printJson } from "./terminal.js";

/** Checks a data folder or a database, and names everything in it that is not what was written. */
export async function runVerify(options: VerifyOptions): Promise<ExitCode> {
  const { data, json } = options;
  const progress = progressLine(process.stderr);
  const onProgress = (runs: number): void => {
    progress.show(`checking: ${runs} runs`);
  };
  const database = databaseOf(options);
  const checked =
    database === undefined
      ? verifyData(data, onProgress)
      : readDatabase(database, (store) => verifyStore(store, "salvor.events", onProgress));
  const report = await checked.finally(() => {
    progress.clear();
  });
  const ok = report.findings.length === 0;
  if (json === true) printJson(verifyJson(report));
  else {
    printFindings(report.findings);
    if (report.torn > 0) out.line(tornLine(report.torn));
    const what = `${report.events} events of ${report.runs} runs hold`;
    out.line(ok ? `${out.paint("green", "ok")}  ${what}` : `${report.findings.length} findings; ${what}`);
    if (!ok)
      out.line(
        `Next: salvor doctor ${database?.option ?? `--data ${shellWord(data)}`}, and docs/storage.md, "Corruption"`,
      );
  }
  return ok ? EXIT.ok : EXIT.failed;
}

async function verifyData(data: string, onProgress: (runs: number) => void): Promise<VerifyReport> {
  const dir = await existingFolder(data);
  return verifyFolder(dir, { onProgress }).catch((cause: unknown) => {
    throw folderError(cause, dir);
  });
}

/** A report as a script reads it. */
export function verifyJson({ runs, events, torn, findings }: VerifyReport): object {
  return { ok: findings.length === 0, runs, events, torn_bytes: torn, findings };
}

export function printFindings(findings: readonly VerifyFinding[]): void {
  for (const { file, offset, run, seq, detail } of findings) {
    const place = run === undefined ? "" : `run ${run}${seq === undefined ? "" : ` seq ${seq}`}: `;
    const at = offset === undefined ? "" : `, byte ${offset}`;
    out.line(`${out.paint("red", "damaged")}  ${printable(`${place}${detail} (${file}${at})`)}`);
  }
}

function tornLine(bytes: number): string {
  return `${out.paint("yellow", "note")}  the journal ends with ${bytes} bytes of a batch that is not whole: nobody was told that it is recorded`;
}
