import { useCallback, useMemo, useState } from "preact/hooks";
import type { RunSummaryAnswer } from "../../client/answers.js";
import type { SalvorClient } from "../../client/salvor-client.js";
import { useLive } from "../live.js";
import { useTools } from "../tools/use-tools.js";
import { WaitingCard } from "./waiting-card.js";

const EVERY_MS = 3_000;
/** How many runs are read at the most; beyond that a person does not look at a list. */
const MOST = 2_000;
const PAGE = 500;
/** How many cards are drawn before somebody asks for more: each of them is a request. */
const SHOWN = 20;

/** Every run that waits for a person, with what unblocks it. */
export function InboxView() {
  const { value, problem, reload } = useLive("inbox", EVERY_MS, waitingRuns);
  const { byName, isRead } = useTools();
  const [shown, setShown] = useState(SHOWN);
  // A card that somebody types into, or reads what was said on, stays although its run waits no more.
  const [held, setHeld] = useState<ReadonlyMap<string, RunSummaryAnswer>>(new Map());

  const hold = useCallback((summary: RunSummaryAnswer, isHeld: boolean): void => {
    setHeld((before) => {
      const next = new Map(before);
      if (isHeld) next.set(summary.run, summary);
      else next.delete(summary.run);
      return next;
    });
  }, []);
  const cards = useMemo(() => {
    const waiting = new Set(value?.runs.map(({ run }) => run));
    const left = [...held.values()].filter(({ run }) => !waiting.has(run));
    return [...(value?.runs ?? []), ...left].sort((a, b) =>
      a.last_recorded_at < b.last_recorded_at ? -1 : a.last_recorded_at > b.last_recorded_at ? 1 : 0,
    );
  }, [value, held]);

  const count = value?.runs.length ?? 0;
  return (
    <section class="view">
      <header class="view-head">
        <h1 tabIndex={-1}>Inbox</h1>
        {value !== undefined && (
          <p class="count" aria-live="polite">
            {count === 0
              ? "Nothing waits for a person."
              : `${count}${value.isMore ? " and more" : ""} ${count === 1 ? "run waits" : "runs wait"} for a person, the longest wait first.`}
          </p>
        )}
      </header>
      {value === undefined && <p class="empty">{problem === "" ? "Reading…" : problem}</p>}
      {value !== undefined && cards.length === 0 && (
        <div class="empty">
          <p>All quiet. A run appears here by itself when it needs you: no reload is needed.</p>
        </div>
      )}
      {value !== undefined && isRead && (
        <ol class="cards">
          {cards.slice(0, shown).map((summary) => (
            <li key={summary.run}>
              <WaitingCard summary={summary} tools={byName} onHold={hold} onChange={reload} />
            </li>
          ))}
        </ol>
      )}
      {cards.length > shown && (
        <button type="button" class="more" onClick={() => setShown(shown + SHOWN)}>
          Show {Math.min(SHOWN, cards.length - shown)} more
        </button>
      )}
    </section>
  );
}

async function waitingRuns(
  client: SalvorClient,
  signal: AbortSignal,
): Promise<{ readonly runs: readonly RunSummaryAnswer[]; readonly isMore: boolean }> {
  const runs: RunSummaryAnswer[] = [];
  let after: string | undefined;
  do {
    const page = await client.runs(
      { group: "waiting", limit: PAGE, ...(after !== undefined && { after }) },
      { signal },
    );
    runs.push(...page.runs);
    after = page.next;
  } while (after !== undefined && runs.length < MOST);
  return { runs, isMore: after !== undefined };
}
