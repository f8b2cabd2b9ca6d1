import type { HeldIdentity } from "./changes.js";
import { FORMAT } from "./journal-frame.js";
import type { Ledger, LedgerRun } from "./ledger.js";
import { overlapOf, type RunDocument, type RunHeader, type SealedPart } from "./run-document.js";
import type { RunFiles } from "./run-files.js";
import { hashIn } from "./stored-event.js";

/** A part of a log is sealed at so many characters, if not at so many events before. */
const PART_CHARS = 1024 * 1024;

/** Brings the documents of runs up to date. */
export class RunKeeper {
  readonly #ledger: Ledger;
  readonly #files: RunFiles;

  readonly #partEvents: number;

  constructor(ledger: Ledger, files: RunFiles, partEvents: number) {
    this.#ledger = ledger;
    this.#files = files;
    this.#partEvents = partEvents;
  }

  /** Writes what is durable of a run into its document. */
  async keep(run: LedgerRun): Promise<void> {
    const id = run.view.run;
    const before = await this.#files.read(id);
    if (run.view.erased) return this.#keepTombstone(run, before);
    const overlap = overlapOf(before, run);
    if (overlap === undefined) {
      this.#ledger.distrust(run, run.covered.count, "its document is not the one that was written");
    }
    if (overlap === undefined || run.unreadable !== undefined) return this.#keepBeside(run);
    // Taken in one step: changes that become durable while this is being written stay for the next time.
    const { change, view } = run;
    const tail = run.tail.slice();
    const since = new Map(run.heldSince);
    const header = this.#header(run, change, identitiesAfter(before, since));
    const { sealed, rest } = await this.#seal(id, before.header.sealed, [
      ...before.events,
      ...tail.slice(overlap),
    ]);
    const file = await this.#files.write(id, { header: { ...header, sealed }, events: rest, intact: true });
    const covered = { change, count: view.state.nextSeq, tip: view.tip, ...(file && { file }) };
    forgetHeld(run, since);
    this.#ledger.cover(run, covered, Math.max(0, run.tail.length - tail.length));
  }

  /** Moves full parts of a log into documents of their own; answers what is left for the run's. */
  async #seal(run: string, before: readonly SealedPart[], events: readonly string[]) {
    const sealed = [...before];
    let from = 0;
    for (;;) {
      const end = partEnd(events, from, this.#partEvents);
      if (end === undefined) break;
      const part = events.slice(from, end);
      const header = { ...emptyHeader(run), sealed };
      await this.#files.writeBeside(run, String(sealed.length), { header, events: part, intact: true });
      sealed.push({ count: part.length, tip: hashIn(part.at(-1) ?? "") });
      from = end;
    }
    return { sealed, rest: events.slice(from) };
  }

  /** What is left of an erased run: the hashes of its events, and the identities that its calls settled. */
  async #keepTombstone(run: LedgerRun, before: RunDocument): Promise<void> {
    const { change, view } = run;
    const hashes = new Set(before.header.erased ?? (await this.#hashes(view.run, before)));
    for (const hash of run.tombstone) hashes.add(hash);
    const since = new Map(run.heldSince);
    const identities = identitiesAfter(before, since);
    const header = { ...this.#header(run, change, identities), erased: [...hashes] };
    const file = await this.#files.write(view.run, { header, events: [], intact: true });
    await this.#files.removeBeside(view.run);
    forgetHeld(run, since);
    this.#ledger.cover(run, { change, count: 0, tip: view.tip, ...(file && { file }) }, 0);
  }

  async #hashes(run: string, { header, events }: RunDocument): Promise<string[]> {
    const hashes: string[] = [];
    for (const part of header.sealed.keys()) {
      hashes.push(...(await this.#files.readPart(run, part)).events.map(hashIn));
    }
    return [...hashes, ...events.map(hashIn)];
  }

  /** A damaged document is evidence and stays as it is: what is newer goes beside it. */
  async #keepBeside(run: LedgerRun): Promise<void> {
    const { change, covered } = run;
    const tail = run.tail.slice();
    const held = this.#ledger.heldBy(run);
    const header = { ...this.#header(run, change, []), held };
    await this.#files.writeBeside(run.view.run, `kept-${change}`, { header, events: tail, intact: true });
    this.#ledger.cover(run, { ...covered, change }, Math.max(0, run.tail.length - tail.length));
  }

  #header(run: LedgerRun, change: number, identities: readonly HeldIdentity[]): RunHeader {
    const { view } = run;
    return {
      ...emptyHeader(view.run),
      change,
      ...(view.ownership !== undefined && { ownership: view.ownership }),
      ...(view.lease !== undefined && { lease: view.lease }),
      refused_reports: view.refused,
      identities,
    };
  }
}

/** What a run holds, by its document and by what has become durable since. */
function identitiesAfter(
  { header }: RunDocument,
  since: ReadonlyMap<string, HeldIdentity | undefined>,
): readonly HeldIdentity[] {
  const all = new Map(header.identities.map((each) => [each.identity, each]));
  for (const [identity, held] of since) {
    if (held === undefined) all.delete(identity);
    else all.set(identity, held);
  }
  return [...all.values()];
}

/** Lets go of the texts that a document holds now. */
function forgetHeld(run: LedgerRun, kept: ReadonlyMap<string, HeldIdentity | undefined>): void {
  const { heldSince } = run;
  if (heldSince === undefined) return;
  for (const [identity, held] of kept) if (heldSince.get(identity) === held) heldSince.delete(identity);
  if (heldSince.size === 0) delete run.heldSince;
}

function emptyHeader(run: string): RunHeader {
  return { format: FORMAT, run, change: 0, refused_reports: [], identities: [], sealed: [] };
}

/** Where the part that starts at an index is full, or `undefined` while it is not. */
function partEnd(events: readonly string[], from: number, limit: number): number | undefined {
  let chars = 0;
  for (let at = from; at < events.length; at += 1) {
    chars += events[at]?.length ?? 0;
    if (chars >= PART_CHARS || at - from + 1 >= limit) return at + 1;
  }
  return undefined;
}
