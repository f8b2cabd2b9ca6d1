import { Command } from "commander";
import { withDataOption, withExamples } from "../help.js";

export interface DoctorOptions {
  readonly data: string;
  readonly json?: true;
}

const NOTES = `Only reads, so it may run beside a server. Exit 0 when a server can use the folder or is using it, 1 when there is a problem. It
does not read the documents of runs: "salvor verify" checks every event.`;

/** `salvor doctor`: what state a data folder is in, and what to do. */
export function doctorCommand(): Command {
  const command = new Command("doctor").description(
    "Say in words what state a data folder is in, and the next step.",
  );
  withDataOption(command)
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
    ],
    NOTES,
  );
}
