/** Another server works on the folder, or may. */
export class FolderLocked extends Error {
  override readonly name = "FolderLocked";
  readonly code = "folder_locked";
}

/** The folder holds something that recovery must not guess about. */
export class StoreCorrupt extends Error {
  override readonly name = "StoreCorrupt";
  readonly code = "store_corrupt";
  /** Which run and event lies there, as far as that can still be read. */
  readonly run?: string;
  readonly seq?: number;
  constructor(
    readonly file: string,
    /** Where in the file, in bytes. */
    readonly offset: number,
    readonly detail: string,
    { run, seq, ...options }: ErrorOptions & { readonly run?: string; readonly seq?: number } = {},
  ) {
    super(
      `${file}, byte ${offset}: ${detail}. Nothing was changed. Keep a copy of the folder, then restore it from a backup (docs/storage.md, "Corruption")`,
      options,
    );
    if (run !== undefined) this.run = run;
    if (seq !== undefined) this.seq = seq;
  }
}

/** The folder was written by a newer version. */
export class FormatTooNew extends Error {
  override readonly name = "FormatTooNew";
  readonly code = "format_too_new";
  constructor(file: string, found: unknown, known: number) {
    super(
      `${file} has format ${String(found)}, and this version of salvor reads up to format ${known}: start the newer salvor that wrote it, or point --data at another folder`,
    );
  }
}
