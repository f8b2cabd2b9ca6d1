import { integers, lines, uuids } from "./columns.js";
import type { Question } from "./connection.js";
import type { Draft } from "./draft.js";
import type { LoggedEvent } from "../stored-event.js";
import { held } from "./write-identities.js";
import type { Part, Use } from "./write-part.js";
import { changed, made } from "./write-runs.js";

/**
 * Writes a draft in one statement, and all of it or nothing: everything that is changed has to be as it was when it was
 * judged, and what was not there has to be missing still. It has no part that this draft does not need: PostgreSQL
 * prepares and ends each of them, also for no row.
 *
 * @param ids of this transaction, and of those before it that it stands for.
 */
export function write(ids: readonly string[], draft: Draft): Question {
  const { runs } = draft;
  const uses = [
    ...changed(runs.filter(({ was }) => was !== undefined)),
    ...made(runs.filter(({ was }) => was === undefined)),
    ...added(draft.appended),
    ...held(draft.identities),
    { part: NOTED, values: [uuids(ids)] },
  ];
  const name = `write${uses.map(({ part }) => part.name).join("")}`;
  let text = TEXTS.get(name);
  if (text === undefined) {
    text = textOf(uses);
    TEXTS.set(name, text);
  }
  return { name, text, values: uses.flatMap(({ values }) => values) };
}

const TEXTS = new Map<string, string>();

function textOf(uses: readonly Use[]): string {
  let place = 0;
  const placed = uses.map(({ part, values }) => ({
    part,
    places: values.map(() => `$${(place += 1)}`),
  }));
  const does = placed.map(({ part, places }) => part.does(...places));
  const insists = placed.flatMap(({ part, places }) => part.insists?.(...places) ?? []);
  return `WITH ${does.join(",\n")}\nSELECT salvor.insist(${insists.join("\n  AND ")})`;
}

const ADDED: Part = {
  name: "-added",
  does: (run, seq, event) => `added AS (
  INSERT INTO salvor.events (run, seq, event)
  SELECT * FROM unnest(${run}::uuid[], ${seq}::int[], string_to_array(${event}, E'\\n'))
)`,
};

function added(
  appended: readonly { readonly run: string; readonly events: readonly LoggedEvent[] }[],
): readonly Use[] {
  if (appended.length === 0) return [];
  const runs: string[] = [];
  const seqs: number[] = [];
  const events: string[] = [];
  for (const { run, events: each } of appended) {
    for (const { envelope, text } of each) {
      runs.push(run);
      seqs.push(envelope.seq);
      events.push(text);
    }
  }
  return [{ part: ADDED, values: [uuids(runs), integers(seqs), lines(events)] }];
}

const NOTED: Part = {
  name: "",
  does: (ids) => `noted AS (
  INSERT INTO salvor.commits (id) SELECT unnest(${ids}::uuid[])
)`,
};
