import { resolve } from "node:path";
import { backupFolder, BackupRefused } from "../store/backup-folder.js";
import { CliError, EXIT, type ExitCode } from "./cli-error.js";
import type { BackupOptions } from "./commands/backup.js";
import { existingFolder, folderError } from "./data-folder.js";
import { progressLine } from "./progress-line.js";
import { shellWord } from "./shell-word.js";
import { out, printJson } from "./terminal.js";
import { printFindings, verifyJson } from "./verify.js";

/** Copies a data folder, and checks the copy. */
export async function runBackup(given: string, options: BackupOptions): Promise<ExitCode> {
  const { data, json } = options;
  if (options.store !== undefined || options.storeEnv !== undefined) {
    const url = options.storeEnv === undefined ? "postgres://..." : `"$${options.storeEnv}"`;
    throw new CliError("a database is not copied into a folder: pg_dump copies it, also while servers run", {
      next: `pg_dump --schema=salvor --file=salvor.sql ${url}; docs/storage.md tells how to restore it`,
      exitCode: EXIT.usage,
    });
  }
  const dest = resolve(given);
  const dir = await existingFolder(data);
  const progress = progressLine(process.stderr);
  const report = await backupFolder(dir, dest, {
    onProgress: (step, runs) => {
      progress.show(`${step} ${step === "copying" ? dir : dest}: ${runs} runs`);
    },
  })
    .catch((cause: unknown) => {
      if (cause instanceof BackupRefused)
        throw new CliError(cause.message, {
          next: "salvor backup DEST, with a folder that is absent or empty",
          cause,
        });
      throw folderError(cause, dir);
    })
    .finally(() => {
      progress.clear();
    });
  const ok = report.findings.length === 0;
  if (json === true) printJson({ dest, ...verifyJson(report) });
  else {
    printFindings(report.findings);
    out.line(
      ok
        ? `Copied ${report.events} events of ${report.runs} runs to ${dest}, and checked every one.`
        : `Copied to ${dest}, but not everything in it holds: the folder itself is damaged.`,
    );
    out.line(
      ok
        ? `To restore: salvor serve --data ${shellWord(dest)}`
        : `Next: salvor verify --data ${shellWord(data)}`,
    );
  }
  return ok ? EXIT.ok : EXIT.failed;
}
