import { setTimeout as wait } from "node:timers/promises";
import { fileSystem } from "../../../build/src/store/write-layer.js";

/** How long a simulated sync takes, in milliseconds: a steady disk, so that ratios are steady too. */
export const SYNC_MS = 4;

/** The disk of this machine with a sync that takes its time and does nothing else. */
export const slowDisk = {
  ...fileSystem,
  create: async (path) => {
    const file = await fileSystem.create(path);
    return { append: (bytes) => file.append(bytes), sync: () => wait(SYNC_MS), close: () => file.close() };
  },
  syncFolder: () => wait(SYNC_MS),
};
