// Stands between this package's process and a server that it starts: a program of its own, in a process group of its own. It
// ends the server and everything that the server has started when the channel to its parent closes, which the kernel sees to
// even when that parent is killed. Nothing else would: a server need not heed the end of its input.
import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { MARK_VARIABLE, signalProcesses } from "./marked-processes.js";
import {
  PROGRAM_INPUT,
  PROGRAM_OUTPUT,
  TERM_GRACE_MS,
  type SupervisedProgram,
  type SupervisorReport,
} from "./supervisor-protocol.js";

let mark = "";

// What the group is sent is meant for the server.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);

process.once("message", (program) => {
  run(program as SupervisedProgram);
});
process.once("disconnect", () => {
  signalProcesses(mark, process.pid, "SIGTERM");
  setTimeout(killAll, TERM_GRACE_MS);
});

function run(program: SupervisedProgram): void {
  mark = program.mark;
  const server = spawn(program.command, program.args, {
    cwd: program.cwd,
    env: { ...program.env, [MARK_VARIABLE]: mark },
    stdio: [PROGRAM_INPUT, PROGRAM_OUTPUT, "inherit"],
  });
  // Only the server holds them from here on, so that its end, and its closing of them, can be seen.
  closeSync(PROGRAM_INPUT);
  closeSync(PROGRAM_OUTPUT);
  server.once("error", (error) => {
    if (server.pid === undefined) tell({ kind: "not_started", problem: error.message }, killAll);
  });
  server.once("spawn", () => {
    tell({ kind: "started", pid: server.pid ?? 0 });
  });
  server.once("exit", (code, signal) => {
    tell({ kind: "ended", how: signal ?? `exit code ${code ?? "unknown"}` }, killAll);
  });
}

function tell(report: SupervisorReport, then: () => void = () => undefined): void {
  if (process.connected) process.send?.(report, then);
  else then();
}

/** The end of all of them, this process included. */
function killAll(): void {
  if (mark !== "") signalProcesses(mark, undefined, "SIGKILL");
  process.kill(-process.pid, "SIGKILL");
}
