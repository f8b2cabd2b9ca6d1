import { join } from "node:path";
import { Low } from "lowdb";
import { DurableAdapter } from "./durable-adapter.js";
import type { Folder } from "./folder.js";
import { NO_DOCUMENT, runCodec, type RunDocument, type RunHeader } from "./run-document.js";
import type { FileStat } from "./write-layer.js";

/**
 * The documents of runs on disk: `runs/3f/<run>.json`, and `runs/3f/<run>.0.json` and so on for the sealed parts of a long
 * one.
 */
export class RunFiles {
  readonly #folder: Folder;
  readonly #assertOwner: () => Promise<void>;
  readonly #made = new Set<string>();

  /** @param assertOwner rejects when this process may not write any more. */
  constructor(folder: Folder, assertOwner: () => Promise<void>) {
    this.#folder = folder;
    this.#assertOwner = assertOwner;
  }

  /** The newest document of a run; {@link NO_DOCUMENT} when there is none. */
  async read(run: string): Promise<RunDocument> {
    const document = this.#document(run);
    await document.read();
    return document.data;
  }

  async readPart(run: string, part: number): Promise<RunDocument> {
    const document = this.#document(run, String(part));
    await document.read();
    return document.data;
  }

  async write(run: string, data: RunDocument): Promise<FileStat | undefined> {
    await this.#save(this.#document(run), run, data);
    return this.stat(run);
  }

  /** Writes a document beside the run's own: a sealed part, or what could not be added to a damaged one. */
  async writeBeside(run: string, name: string, data: RunDocument): Promise<void> {
    await this.#save(this.#document(run, name), run, data);
  }

  stat(run: string): Promise<FileStat | undefined> {
    return this.#folder.layer.stat(join(this.#shard(run), `${run}.json`));
  }

  /** What could not be added to the damaged document of a run, and lies beside it. */
  async readKept(run: string): Promise<readonly RunHeader[]> {
    return (await this.#kept(run)).map(({ document }) => document.header);
  }

  /** The files beside the document of a run that are not what was written. */
  async damagedKept(run: string): Promise<readonly string[]> {
    const damaged = (await this.#kept(run)).filter(({ document }) => !document.intact);
    return damaged.map(({ name }) => join(this.#shard(run), `${run}.${name}.json`));
  }

  async #kept(run: string) {
    const names = await this.#folder.layer.list(this.#shard(run));
    const kept = names.flatMap((name) =>
      name.startsWith(`${run}.kept-`) ? name.slice(run.length + 1, -".json".length) : [],
    );
    return Promise.all(
      kept.map(async (name) => {
        const document = this.#document(run, name);
        await document.read();
        return { name, document: document.data };
      }),
    );
  }

  /** Removes everything of a run but its own document, durably. */
  async removeBeside(run: string): Promise<void> {
    const { layer } = this.#folder;
    const shard = this.#shard(run);
    const names = (await layer.list(shard)).filter(
      (name) => name.startsWith(`${run}.`) && name !== `${run}.json`,
    );
    for (const name of names) await layer.unlink(join(shard, name));
    // Always: who removed them before may have died before that was durable.
    await layer.syncFolder(shard);
  }

  /** Every run that has a document. */
  async *list(): AsyncGenerator<string> {
    const { layer, runs } = this.#folder;
    for (const shard of await layer.list(runs)) {
      for (const name of await layer.list(join(runs, shard))) {
        const run = /^([^.]+)\.json$/.exec(name)?.[1];
        if (run !== undefined) yield run;
      }
    }
  }

  async #save(document: Low<RunDocument>, run: string, data: RunDocument): Promise<void> {
    await this.#makeShard(run);
    await this.#assertOwner();
    document.data = data;
    await document.write();
  }

  async #makeShard(run: string): Promise<void> {
    const { layer, runs } = this.#folder;
    const shard = this.#shard(run);
    if (this.#made.has(shard)) return;
    await layer.makeFolder(shard);
    await layer.syncFolder(runs);
    this.#made.add(shard);
  }

  #document(run: string, part?: string): Low<RunDocument> {
    const { layer, scratch } = this.#folder;
    const path = join(this.#shard(run), part === undefined ? `${run}.json` : `${run}.${part}.json`);
    return new Low(new DurableAdapter({ layer, path, scratch, codec: runCodec }), NO_DOCUMENT);
  }

  #shard(run: string): string {
    return join(this.#folder.runs, run.slice(0, 2));
  }
}
