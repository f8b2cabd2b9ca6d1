import { useRef } from "preact/hooks";
import type { RunSummaryAnswer } from "../../client/answers.js";
import { Decide } from "../decide/decide.js";
import { waitingOf } from "../decide/waiting.js";
import { useLive } from "../live.js";
import { Link } from "../router.js";
import type { KnownTools } from "../tools/known-tool.js";
import { Title, TitleMarks, WaitingBody } from "./waiting-body.js";

interface WaitingCardProps {
  readonly summary: RunSummaryAnswer;
  readonly tools: KnownTools;
  readonly onHold: (summary: RunSummaryAnswer, isHeld: boolean) => void;
  readonly onChange: () => void;
}

/** One run that waits: what blocks it, since when, and what a person can do about it. */
export function WaitingCard({ summary, tools, onHold, onChange }: WaitingCardProps) {
  const { run, event_count: count, driver, unreadable } = summary;
  const { value, problem, reload } = useLive(`${run} ${count} ${driver ?? ""}`, 0, (client, signal) =>
    unreadable === true ? Promise.resolve(undefined) : client.run(run, { signal }),
  );
  const change = (): void => {
    reload();
    onChange();
  };
  const waiting = value === undefined ? undefined : waitingOf(value, tools);
  // What is over keeps the name that it was known by.
  const named = useRef(waiting);
  if (waiting !== undefined && waiting.kind !== "nothing") named.current = waiting;
  const isOver = waiting?.kind === "nothing";
  return (
    <article class="card" aria-labelledby={`run-${run}`}>
      <header class="card-head">
        <h2 id={`run-${run}`}>
          <Title waiting={named.current ?? waiting} isUnreadable={unreadable === true} />
        </h2>
        <TitleMarks waiting={waiting} since={summary.last_recorded_at} />
      </header>
      {unreadable === true ? (
        <p>
          Its log cannot be read, so nothing can be decided about it here. <code>salvor verify</code> says
          what is wrong.
        </p>
      ) : value === undefined || waiting === undefined ? (
        <p class="note">{problem === "" ? "Reading…" : problem}</p>
      ) : (
        <>
          {isOver ? (
            <p class="why">
              This run does not wait for a person any more. <Link to={`/runs/${run}`}>Look at it</Link>
            </p>
          ) : (
            <WaitingBody waiting={waiting} run={value} summary={summary} />
          )}
          <Decide
            run={value}
            tools={tools}
            isOver={isOver}
            onChange={change}
            onBusy={(isBusy) => onHold(summary, isBusy)}
          />
        </>
      )}
    </article>
  );
}
