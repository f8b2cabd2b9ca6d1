import { readdirSync, readFileSync } from "node:fs";

/** The variable that every process of a server inherits, whatever process group or session it moves to. */
export const MARK_VARIABLE = "SALVOR_MCP_PROCESS";

/** How often the list of processes is read again while new ones turn up in it. */
const MOST_ROUNDS = 5;

/**
 * Sends a signal to all processes that carry a mark, and to a process group. What moved to another group is found by its
 * environment, where there is a /proc that tells (Linux); a process that hides from both is not.
 *
 * @param group the id of the group, or `undefined` to leave it out.
 */
export function signalProcesses(mark: string, group: number | undefined, signal: NodeJS.Signals): void {
  const signalled = new Set<number>();
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const fresh = markedProcesses(mark).filter((pid) => !signalled.has(pid));
    if (fresh.length === 0) break;
    for (const pid of fresh) {
      signalled.add(pid);
      send(pid, signal);
    }
  }
  if (group !== undefined) send(-group, signal);
}

function markedProcesses(mark: string): readonly number[] {
  const entry = `${MARK_VARIABLE}=${mark}`;
  return numbersIn("/proc").filter((pid) => pid !== process.pid && environmentOf(pid).includes(entry));
}

function numbersIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
  } catch {
    // It has ended, or is another user's.
    return [];
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
