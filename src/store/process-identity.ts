import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { hasCode } from "./write-layer.js";

/** Who a process is, in a way that survives being written down: pids are used again, machines are started again. */
export interface ProcessIdentity {
  readonly host: string;
  /** Which start of the machine this is; empty where the system does not say. */
  readonly boot: string;
  readonly pid: number;
  /** When the process started, in the system's own unit; empty where the system does not say. */
  readonly started: string;
}

/** The identities of this machine's processes. */
export interface ProcessTable {
  self(): Promise<ProcessIdentity>;
  /** Whether the process still runs; `undefined` when that cannot be known from here. */
  isAlive(process: ProcessIdentity): Promise<boolean | undefined>;
}

/** This machine's processes. The boot id and the start times come from Linux's /proc. */
export const processTable: ProcessTable = Object.freeze({
  self: async () => ({
    host: hostname(),
    boot: await bootId(),
    pid: process.pid,
    started: await startOf(process.pid),
  }),
  isAlive: async (other: ProcessIdentity) => {
    if (other.host !== hostname()) return undefined;
    if (other.boot !== (await bootId())) return false;
    if (!exists(other.pid)) return false;
    return other.started === (await startOf(other.pid));
  },
});

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, "ESRCH");
  }
}

async function bootId(): Promise<string> {
  return (await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "")).trim();
}

async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The command, in parentheses, may hold spaces; the start time is the 20th field behind it (proc(5), field 22).
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}
