import type { Logger } from "pino";
import type { ToolLog, ToolLogDetails } from "../contract/tool-handler.js";
import type { CurrentCall } from "../runtime/hosted/current-call.js";

/** Where a hosted tool says what it is doing: this server's log, each line with the call that it is about. */
export function toolLogOf(logger: Logger, call: CurrentCall): ToolLog {
  const line =
    (level: "debug" | "info" | "warn" | "error") =>
    (message: string, details: ToolLogDetails = {}): void => {
      try {
        // The call's own names last: no tool speaks for another's.
        logger[level]({ ...details, ...call }, message);
      } catch {
        // What cannot be written down must not change how the call ends.
      }
    };
  return { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
}
