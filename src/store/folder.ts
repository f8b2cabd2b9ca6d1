import { dirname, join } from "node:path";
import type { WriteLayer } from "./write-layer.js";

/** The places in a data folder. */
export interface Folder {
  readonly layer: WriteLayer;
  readonly root: string;
  readonly journal: string;
  readonly runs: string;
  readonly index: string;
  /** Files that have no name yet; whatever lies here when a store is opened is left over. */
  readonly scratch: string;
}

export function folderOf(layer: WriteLayer, root: string): Folder {
  return {
    layer,
    root,
    journal: join(root, "journal"),
    runs: join(root, "runs"),
    index: join(root, "index"),
    scratch: join(root, "tmp"),
  };
}

/** Makes a folder and those above it that are missing, durably. */
export async function makeFolders(layer: WriteLayer, path: string): Promise<void> {
  const parent = dirname(path);
  try {
    await layer.makeFolder(path);
  } catch (error) {
    if (parent === path || !isMissing(error)) throw error;
    await makeFolders(layer, parent);
    await layer.makeFolder(path);
  }
  await layer.syncFolder(parent);
}

/** Removes what a store that was cut short has left in the scratch folder. */
export async function clearScratch({ layer, scratch }: Folder): Promise<void> {
  for (const name of await layer.list(scratch)) await layer.unlink(join(scratch, name));
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
