import { resolve } from "node:path";
import type { Diagnosis, Finding } from "../store/diagnosis.js";
import { examineFolder } from "../store/examine-folder.js";
import { EXIT, type ExitCode } from "./cli-error.js";
import type { DoctorOptions } from "./commands/doctor.js";
import { databaseOf } from "./database.js";
import { folderError } from "./data-folder.js";
import { printable } from "./printable.js";
import { out, printJson, type Paint } from "./terminal.js";

const COLOURS: Readonly<Record<Finding["level"], Paint>> = { problem: "red", note: "yellow", ok: "green" };

/** Says what state the place of the logs is in. */
export async function runDoctor(options: DoctorOptions): Promise<ExitCode> {
  return report(await examine(options), options.json === true);
}

/** The one place that knows which kinds of places there are. */
async function examine(options: DoctorOptions): Promise<Diagnosis> {
  const database = databaseOf(options);
  if (database !== undefined) {
    const { examineDatabase } = await import("../store/postgres/examine-database.js");
    return examineDatabase(database);
  }
  const { data } = options;
  const dir = resolve(data);
  try {
    return await examineFolder(dir);
  } catch (cause) {
    throw folderError(cause, dir);
  }
}

/** Prints a diagnosis; answers whether it names a problem. */
function report({ place, findings }: Diagnosis, asJson: boolean): ExitCode {
  const ok = findings[0].level !== "problem";
  if (asJson) printJson({ ok, place, findings });
  else {
    out.line(out.paint("bold", printable(place)));
    for (const { level, says, next } of findings) {
      out.line(`${out.paint(COLOURS[level], level.padEnd(7))}  ${printable(says)}`);
      out.line(`         Next: ${printable(next)}`);
    }
  }
  return ok ? EXIT.ok : EXIT.failed;
}
