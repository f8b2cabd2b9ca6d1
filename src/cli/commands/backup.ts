import { Command } from "commander";
import { withExamples, withPlaceOptions, type PlaceOptions } from "../help.js";

export interface BackupOptions extends PlaceOptions {
  readonly json?: true;
}

const NOTES = `Only reads the data folder, so a server may go on working on it. The copy holds everything that was recorded before the backup
began, and every event of it is checked. To restore, start a server on the copy, or copy it to where the old folder was.
A database is refused: "pg_dump --schema=salvor" makes a consistent copy of one while servers run.`;

/** `salvor backup`: a whole copy of a data folder. */
export function backupCommand(): Command {
  const command = new Command("backup")
    .description("Copy a data folder into a new one, also while a server works on it, and check the copy.")
    .argument("<DEST>", "the folder to make; absent or empty");
  withPlaceOptions(command)
    .option("--json", 'print {"ok", "dest", "runs", "events", "findings"} as JSON')
    .action(async (dest: string, options: BackupOptions) => {
      const { runBackup } = await import("../backup.js");
      process.exitCode = await runBackup(dest, options);
    });
  return withExamples(
    command,
    [
      ["salvor backup /mnt/backup/salvor-2026-03-14", "the folder ./salvor-data"],
      ["salvor backup /mnt/backup/today --data /var/lib/salvor --json", "for a script"],
    ],
    NOTES,
  );
}
