import { readFile, readdir } from "node:fs/promises";

/**
 * Measures how much processor time this process and a PostgreSQL take, in microseconds: what an append costs does not depend on
 * who else wants the processor.
 *
 * @param pid of one of its backends.
 * @returns a clock that answers `{ node, postgres }` so far; `postgres` is NaN where there is no Linux.
 */
export async function processorClock(pid) {
  const postmaster = await parentOf(pid);
  return async () => {
    const { user, system } = process.cpuUsage();
    return { node: user + system, postgres: await timeOf(postmaster) };
  };
}

/** Of a process and its children, while they live: sessions that ended take their time with them. */
async function timeOf(parent) {
  if (parent === undefined) return NaN;
  let sum = await nanosecondsOf(parent);
  for (const name of await readdir("/proc")) {
    if (/^\d+$/.test(name) && (await parentOf(name)) === parent) sum += await nanosecondsOf(name);
  }
  return sum / 1000;
}

async function parentOf(pid) {
  try {
    return Number((await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /s, "").split(" ")[1]);
  } catch {
    return undefined;
  }
}

async function nanosecondsOf(pid) {
  try {
    return Number((await readFile(`/proc/${pid}/schedstat`, "utf8")).split(" ")[0]);
  } catch {
    return 0;
  }
}
