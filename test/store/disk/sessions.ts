import type { EventStore } from "#salvor/store/index.js";
import { openLowdbStore } from "#salvor/store/index.js";
import { FaultyLayer, type Operation, type Fate } from "./faulty-layer.js";
import type { MemoryDisk } from "./memory-disk.js";
import type { Random } from "./random.js";

/** One start of a machine: a store on a disk in memory, and what its operations come to. */
export interface Session {
  readonly layer: FaultyLayer;
  open(): Promise<EventStore>;
}

let boots = 0;

export function sessionOn(
  disk: MemoryDisk,
  random: Random,
  decide?: (operation: Operation) => Fate,
  idleMs = 1_000_000,
): Session {
  const layer = new FaultyLayer(disk, random, decide);
  const self = { host: "here", boot: String(boots++), pid: 1, started: "1" };
  const processes = {
    self: () => Promise.resolve(self),
    isAlive: ({ boot }: { boot: string }) => Promise.resolve(boot === self.boot),
  };
  return { layer, open: () => openLowdbStore({ dir: "/data", layer, processes, idleMs, partEvents: 4 }) };
}
