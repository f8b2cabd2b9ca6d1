import { constants } from "node:fs";
import { access, readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { diagnosisOf, type Diagnosis, type Finding } from "./diagnosis.js";
import { folderOf, type Folder } from "./folder.js";
import { IndexDocuments } from "./index-documents.js";
import { segmentName } from "./journal-frame.js";
import { FolderLocked, FormatTooNew, StoreCorrupt } from "./lowdb-errors.js";
import { readTails } from "./journal-tails.js";
import { readHolder } from "./lock.js";
import { processTable } from "./process-identity.js";
import { readOnly } from "./read-only-layer.js";
import { openStoreDocument } from "./store-document.js";
import { asError, fileSystem, hasCode } from "./write-layer.js";

/** Less room than this, in bytes, counts as a full disk: a batch and the file after it must fit. */
const LEAST_FREE = 16 * 1024 * 1024;

/** What a folder of the default store holds at its top. */
const OURS = new Set(["store.json", "lock", "journal", "runs", "index", "tmp"]);

/** Says what state a data folder is in. Only reads; looks at everything but the documents of runs, which `verifyFolder` checks. */
export async function examineFolder(dir: string): Promise<Diagnosis> {
  const unusable = await whyUnusable(dir);
  if (unusable !== undefined) return diagnosisOf(dir, [unusable], unusable);
  const folder = folderOf(readOnly(fileSystem), dir);
  const holder = await lockFindings(folder);
  const inUse = holder.some(({ state }) => state === "in_use");
  const found = [...holder, ...(await spaceFindings(dir)), ...(await contentFindings(folder, inUse))];
  return diagnosisOf(dir, found, {
    state: "healthy",
    level: "ok",
    says: "healthy: the lock is free, and the journal and the index are whole",
    next: `salvor serve --data ${dir}, or salvor verify --data ${dir} to check every event`,
  });
}

/** Why there is no data folder to work on at a path, if so. */
export async function whyUnusable(dir: string): Promise<Finding | undefined> {
  const problem = (state: string, says: string, next: string): Finding => ({
    state,
    level: "problem",
    says,
    next,
  });
  const elsewhere = "name the right folder with --data";
  try {
    const entries = (await stat(dir)).isDirectory() ? await readdir(dir) : undefined;
    if (entries === undefined) return problem("not_a_folder", `${dir} is a file, not a folder`, elsewhere);
    if (entries.length === 0) {
      const next = `salvor serve --data ${dir} makes a store of it`;
      return { state: "empty", level: "note", says: `${dir} is empty`, next };
    }
    if (!entries.some((name) => OURS.has(name))) {
      const says = `${dir} is not a salvor folder: it holds ${entries.slice(0, 3).join(", ")} and no store.json`;
      return problem("not_salvor", says, elsewhere);
    }
    await access(dir, constants.R_OK | constants.X_OK);
    await access(dir, constants.W_OK);
    return undefined;
  } catch (error) {
    if (hasCode(error, "ENOENT")) {
      return problem(
        "missing",
        `there is no folder ${dir}`,
        `${elsewhere}, or make it: salvor serve --data ${dir}`,
      );
    }
    if (hasCode(error, "EACCES") || hasCode(error, "EPERM") || hasCode(error, "EROFS")) {
      const user = process.getuid?.();
      const who = user === undefined ? "this user" : `user ${user}`;
      const says = `${who} may not read and write ${dir}: ${asError(error).message}`;
      return problem(
        "no_permission",
        says,
        `run salvor as the folder's owner, or give it to this user: chown -R`,
      );
    }
    throw error;
  }
}

/** Who has the folder. */
async function lockFindings({ layer, root }: Folder): Promise<readonly Finding[]> {
  try {
    const holder = await readHolder(layer, join(root, "lock"));
    if (holder === undefined) return [];
    const who = `process ${holder.pid} on host ${holder.host}`;
    switch (await processTable.isAlive(holder)) {
      case true:
        return [
          {
            state: "in_use",
            level: "ok",
            says: `in use by ${who}`,
            next: `ask that server: salvor list; or stop it first: kill ${holder.pid}`,
          },
        ];
      case false:
        return [
          {
            state: "stale_lock",
            level: "note",
            says: `${who} had it and has ended without letting go: it was killed, or the machine lost power`,
            next: "start the server: it takes the lock over by itself",
          },
        ];
      case undefined:
        return [
          {
            state: "foreign_lock",
            level: "problem",
            says: `locked by ${who}, which cannot be seen from this machine`,
            next: `if that server is stopped for sure: salvor serve --data ${root} --force`,
          },
        ];
    }
  } catch (error) {
    if (!(error instanceof FolderLocked)) throw error;
    const next = `if no server uses the folder: rm ${join(root, "lock")}`;
    return [{ state: "damaged_lock", level: "problem", says: error.message, next }];
  }
}

async function spaceFindings(dir: string): Promise<readonly Finding[]> {
  const { bavail, bsize } = await statfs(dir);
  const free = bavail * bsize;
  if (free >= LEAST_FREE) return [];
  const says = `the disk is full: ${Math.floor(free / 1024)} KiB are free`;
  const next = "free some space; a server that runs goes on by itself then";
  return [{ state: "disk_full", level: "problem", says, next }];
}

async function contentFindings(folder: Folder, inUse: boolean): Promise<readonly Finding[]> {
  const { root } = folder;
  try {
    const { data } = await openStoreDocument(folder);
    if (data === null && (await isNew(folder))) {
      const says = "a server began to make a store here and did not finish; nothing was recorded";
      return [{ state: "unfinished", level: "note", says, next: `salvor serve --data ${root}` }];
    }
    const { end } = await readTails(folder);
    const found: Finding[] = [];
    if (end.cut > 0 && !inUse) {
      const file = join(folder.journal, segmentName(end.segment));
      found.push({
        state: "torn_tail",
        level: "note",
        says: `${file} ends, from byte ${end.cutAt} on, with ${end.cut} bytes of a batch that is not whole: it was being written when the process or the machine stopped, and nobody was told that it is recorded`,
        next: `start the server: it cuts them. Bytes that were whole once are named by salvor verify --data ${root}`,
      });
    }
    return [...found, ...(await indexFindings(folder, data?.index.pieces ?? 0))];
  } catch (error) {
    if (error instanceof FormatTooNew) {
      const next = "start the newer salvor that wrote it, or name another folder with --data";
      return [{ state: "newer_format", level: "problem", says: error.message, next }];
    }
    if (error instanceof StoreCorrupt) {
      const next = `keep a copy of the folder (cp -a), look at all of it (salvor verify --data ${root}), restore a backup`;
      return [
        {
          state: "damaged",
          level: "problem",
          says: `${error.file}, byte ${error.offset}: ${error.detail}`,
          next,
        },
      ];
    }
    if (hasCode(error, "EACCES")) {
      const next = "run salvor as the folder's owner";
      return [{ state: "no_permission", level: "problem", says: asError(error).message, next }];
    }
    throw error;
  }
}

async function isNew({ layer, runs, journal }: Folder): Promise<boolean> {
  return (await layer.list(runs)).length === 0 && (await layer.list(journal)).length <= 1;
}

async function indexFindings(folder: Folder, pieces: number): Promise<readonly Finding[]> {
  const index = new IndexDocuments(folder);
  const missing: string[] = [];
  let untrusted = 0;
  for (let piece = 0; piece < pieces; piece += 1) {
    const entries = await index.read(piece);
    if (entries === undefined) missing.push(index.pathOf(piece));
    untrusted += [...(entries ?? [])].filter(({ unreadable }) => unreadable !== undefined).length;
  }
  const found: Finding[] = [];
  if (missing.length > 0) {
    found.push({
      state: "index_missing",
      level: "note",
      says: `the index is incomplete: ${missing.slice(0, 3).join(", ")} cannot be read`,
      next: "start the server: it makes the index again from the documents, which takes longer this once",
    });
  }
  if (untrusted > 0) {
    found.push({
      state: "unreadable_runs",
      level: "problem",
      says: `${untrusted} runs cannot be trusted: their documents were changed or damaged`,
      next: `salvor verify --data ${folder.root} names them; put their files back from a backup and start again`,
    });
  }
  return found;
}
