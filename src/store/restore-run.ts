import { CHAIN_START } from "../log/chain.js";
import type { Envelope } from "../log/events.js";
import { NOT_STARTED } from "../log/fold.js";
import { readChain } from "./chain-check.js";
import { applyEvents, unknownRun, type RunView } from "./changes.js";
import { TamperEvident } from "./errors.js";
import { heldText } from "./held-table.js";
import type { IndexEntry } from "./index-documents.js";
import { sealedEnd, type RunDocument, type RunHeader } from "./run-document.js";
import type { RunFiles } from "./run-files.js";
import { hashIn } from "./stored-event.js";

/**
 * What the index should say of a run, made from its documents alone. Never throws for what they hold: a run that cannot be
 * trusted is marked so, and the identities that can still be made out stay held.
 */
export async function restoreRun(files: RunFiles, run: string): Promise<IndexEntry> {
  const document = await files.read(run);
  const { header } = document;
  const file = await files.stat(run);
  const base = {
    change: header.change,
    held: heldIn(header),
    covered: { change: header.change, count: 0, tip: CHAIN_START, ...(file && { file }) },
  };
  const beside: RunView = {
    ...unknownRun(run),
    refused: header.refused_reports,
    ...(header.ownership !== undefined && { ownership: header.ownership }),
    ...(header.lease !== undefined && { lease: header.lease }),
  };
  if (document.intact && header.erased !== undefined) {
    const tip = header.erased.at(-1) ?? CHAIN_START;
    const view = { ...unknownRun(run), tip, erased: true };
    return { ...base, view, covered: { ...base.covered, tip } };
  }
  try {
    const { envelopes, hashes } = await readDocuments(files, run, document);
    const events = envelopes.map((envelope, index) => ({ envelope, hash: hashes[index] ?? "" }));
    const view = applyEvents(beside, events);
    return { ...base, view, covered: { ...base.covered, count: events.length, tip: view.tip } };
  } catch (error) {
    if (!(error instanceof TamperEvident)) throw error;
    const { seq, message: detail } = error;
    const kept = await files.readKept(run);
    const newest = kept.reduce((last, next) => (next.change > last.change ? next : last), header);
    const nextSeq = Math.max(1, sealedEnd(header.sealed).count + document.events.length);
    const view = { ...beside, ...times(document), state: { ...NOT_STARTED, nextSeq } };
    return { ...base, change: newest.change, held: heldIn(newest), view, unreadable: { seq, detail } };
  }
}

/**
 * The events of a run that its documents hold, and their hashes.
 *
 * @throws {@link TamperEvident} when they are not what was written.
 */
export async function readDocuments(
  files: RunFiles,
  run: string,
  { header, events, intact }: RunDocument,
): Promise<{ readonly envelopes: readonly Envelope[]; readonly hashes: readonly string[] }> {
  const envelopes: Envelope[] = [];
  const hashes: string[] = [];
  let tip = CHAIN_START;
  const take = async (texts: readonly string[]): Promise<void> => {
    const read = await readChain(run, texts, envelopes.length, tip);
    envelopes.push(...read.envelopes);
    hashes.push(...texts.map(hashIn));
    tip = read.tip;
  };
  for (const [index, part] of header.sealed.entries()) {
    const document = await files.readPart(run, index);
    await take(document.events);
    if (tip !== part.tip || !document.intact)
      throw new TamperEvident(run, envelopes.length, `part ${index} is not what was written`);
  }
  await take(events);
  if (!intact || header.run !== run) {
    throw new TamperEvident(run, envelopes.length, "its document is not the one that was written");
  }
  return { envelopes, hashes };
}

function heldIn({ held, identities }: RunHeader): string {
  return held ?? heldText(identities);
}

/** When the first and the last event were recorded, as far as that can still be read. */
function times({ events }: RunDocument): Pick<RunView, "firstRecordedAt" | "lastRecordedAt"> {
  const stamps = events.flatMap((text) => /"recorded_at":"([^"]{1,40})"/.exec(text)?.[1] ?? []);
  return { firstRecordedAt: stamps[0] ?? "", lastRecordedAt: stamps.at(-1) ?? "" };
}
