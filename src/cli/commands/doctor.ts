import { Command } from "commander";
import { withExamples, withPlaceOptions, type PlaceOptions } from "../help.js";

export interface DoctorOptions extends PlaceOptions {
  readonly json?: true;
}

const NOTES = `Only reads, so it may run beside a server. Exit 0 when a server can use the folder or database or is using it, 1 when there is a
problem. It does not read the events of runs: "salvor verify" checks every one.`;

/** `salvor doctor`: what state a data folder or a database is in, and what to do. */
export function doctorCommand(): Command {
  const command = new Command("doctor").description(
    "Say in words what state a data folder or a database is in, and the next step.",
  );
  withPlaceOptions(command)
    .option("--json", 'print {"ok", "place", "findings"} as JSON')
    .action(async (options: DoctorOptions) => {
      const { runDoctor } = await import("../doctor.js");
      process.exitCode = await runDoctor(options);
    });
  return withExamples(
    command,
    [
      ["salvor doctor", "the folder ./salvor-data"],
      ["salvor doctor --data /var/lib/salvor --json", "for a script"],
      ["salvor doctor --store-env SALVOR_STORE", "the database that this variable names"],
    ],
    NOTES,
  );
}
