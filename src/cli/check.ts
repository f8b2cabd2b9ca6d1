import { checkDeclarations, renderProblem } from "../declarations/index.js";
import { EXIT, type ExitCode } from "./cli-error.js";
import type { CheckOptions } from "./commands/check.js";
import { printable } from "./printable.js";
import { shellWord } from "./shell-word.js";
import { err, out, printJson } from "./terminal.js";

/** Says everything that is wrong with declarations. */
export async function runCheck(paths: readonly string[], options: CheckOptions): Promise<ExitCode> {
  const report = await checkDeclarations(paths);
  const code = report.ok ? EXIT.ok : EXIT.failed;
  if (options.json === true) {
    printJson(report);
    return code;
  }
  for (const problem of report.problems) err.line(printable(renderProblem(problem)));
  for (const warning of report.warnings)
    err.line(`${err.paint("yellow", "warning:")} ${printable(renderProblem(warning))}`);
  if (report.ok) {
    out.line(`${counted(report.files.length, "file")} in order: ${report.tools.map(printable).join(", ")}`);
    return code;
  }
  err.line(
    `${err.paint("red", "salvor:")} ${counted(report.problems.length, "problem")}; no server would start with these files`,
  );
  err.line(`Next: put them right, then salvor check ${paths.map(shellWord).join(" ")}`);
  return code;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
