import {
  constants,
  open,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  unlink,
  type FileHandle,
} from "node:fs/promises";

/**
 * Everything that the lowdb store asks of a disk, and the only way it touches one. What was appended is durable after
 * `sync`, and a name after `syncFolder` of its folder; until then a power cut may lose any part of it, in any order.
 * Nothing is ever changed in place: a file is created, appended to, and renamed or removed as a whole.
 * Failures are Node's own errors, with their `code` (`ENOSPC`, `EIO`, `ENOENT`, `EEXIST`).
 */
export interface WriteLayer {
  /**
   * Makes a file that only its owner can read, and fails with `EEXIST` when the name is taken.
   *
   * @param durable whether each append is to be durable at once, where the disk can do that in one go.
   */
  create(path: string, durable?: boolean): Promise<AppendFile>;
  read(path: string): Promise<Uint8Array>;
  /** Size in bytes and time of the last change, or `undefined` when there is no such file. */
  stat(path: string): Promise<FileStat | undefined>;
  /** The names in a folder; none when it does not exist. */
  list(folder: string): Promise<readonly string[]>;
  /** Makes a folder that only its owner can enter; answers whether it was missing. Its parent must exist. */
  makeFolder(path: string): Promise<boolean>;
  /** Moves a name over another, which it replaces as one step. */
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a second name; fails with `EEXIST` when that name is taken. */
  link(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  syncFolder(path: string): Promise<void>;
}

/** A file that only grows. */
export interface AppendFile {
  /** What was appended is durable when the append resolves, and need not be synced. */
  readonly durable?: boolean;
  append(bytes: Uint8Array): Promise<void>;
  /** Resolves when everything that was appended is durable. After a failure nothing about those bytes is known, whatever a later call says. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface FileStat {
  readonly size: number;
  readonly changedAt: number;
}

/** The disk of this machine. */
export const fileSystem: WriteLayer = Object.freeze({
  create: async (path: string, durable = false) => {
    const flags = constants.O_APPEND | constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY;
    return appendFile(await open(path, flags | (durable ? O_DSYNC : 0), 0o600), durable && O_DSYNC !== 0);
  },
  read: (path: string) => readFile(path),
  stat: async (path: string) => {
    try {
      const { size, mtimeMs, ctimeMs } = await stat(path);
      return { size, changedAt: Math.max(mtimeMs, ctimeMs) };
    } catch (error) {
      return hasCode(error, "ENOENT") ? undefined : Promise.reject(asError(error));
    }
  },
  list: async (folder: string) => {
    try {
      return await readdir(folder);
    } catch (error) {
      return hasCode(error, "ENOENT") ? [] : Promise.reject(asError(error));
    }
  },
  makeFolder: async (path: string) => {
    try {
      await mkdir(path, { mode: 0o700 });
      return true;
    } catch (error) {
      return hasCode(error, "EEXIST") ? false : Promise.reject(asError(error));
    }
  },
  rename: (from: string, to: string) => rename(from, to),
  link: (from: string, to: string) => link(from, to),
  unlink: (path: string) => unlink(path),
  syncFolder: async (path: string) => {
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },
});

/** Not every system has it. */
const O_DSYNC = (constants as { readonly O_DSYNC?: number }).O_DSYNC ?? 0;

function appendFile(handle: FileHandle, durable: boolean): AppendFile {
  return {
    durable,
    append: async (bytes) => {
      let done = 0;
      while (done < bytes.byteLength) done += (await handle.write(bytes, done)).bytesWritten;
    },
    sync: () => handle.datasync(),
    close: () => handle.close(),
  };
}

/** Whether a failure is the system's own, with this code. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** A thrown value as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
