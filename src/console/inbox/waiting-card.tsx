import { useRef } from "preact/hooks";
import type { RunAnswer, RunSummaryAnswer } from "../../client/answers.js";
import { moneyIn } from "../decide/amounts.js";
import { Decide } from "../decide/decide.js";
import { waitingOf, type Waiting } from "../decide/waiting.js";
import { useLive } from "../live.js";
import { Link } from "../router.js";
import { isPersonsToClose, type KnownTools } from "../tools/known-tool.js";
import { EffectBadge } from "../ui/badge.js";
import { DriverAndLabels } from "../ui/driver-and-labels.js";
import { JsonView } from "../ui/json-view.js";
import { clockOf, lengthOf, useNow } from "../ui/time.js";
import { cut, visible } from "../ui/visible.js";
import { Code, Words } from "../ui/words.js";
import { RefusedReports } from "./refused-reports.js";

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
        {waiting?.kind === "call" && <EffectBadge effect={waiting.call.effect} />}
        {!isOver && <Waited iso={summary.last_recorded_at} />}
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
          <p class="why">
            <Why waiting={waiting} run={value} />
            {isOver && (
              <>
                {" "}
                <Link to={`/runs/${run}`}>Look at it</Link>
              </>
            )}
          </p>
          {!isOver && (
            <div class="card-body">
              {waiting.kind === "call" && (
                <div>
                  <h3>Input</h3>
                  <JsonView value={waiting.call.input} label="Input" />
                </div>
              )}
              <Facts waiting={waiting} run={value} summary={summary} />
            </div>
          )}
          <RefusedReports reports={value.refused_reports?.filter(({ seq }) => seq === waiting.seq) ?? []} />
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

export function Title({
  waiting,
  isUnreadable,
}: {
  readonly waiting: Waiting | undefined;
  readonly isUnreadable: boolean;
}) {
  if (isUnreadable) return <>Unreadable log</>;
  if (waiting === undefined) return <>…</>;
  if (waiting.kind === "call") return <bdi>{cut(visible(waiting.call.tool), 120)}</bdi>;
  if (waiting.kind === "input") return <>{waiting.isBudget ? "Over budget" : "Asks for an answer"}</>;
  return <>Waits no more</>;
}

export function Why({ waiting, run }: { readonly waiting: Waiting; readonly run: RunAnswer }) {
  if (waiting.kind === "input") return <Words text={waiting.reason} />;
  if (waiting.kind === "nothing") return <>This run does not wait for a person any more.</>;
  const { call, declared, canSettle } = waiting;
  const isDriven = run.driver === "attached";
  const driver = isDriven ? "Its client is connected" : "Nobody drives the run any more";
  if (!canSettle) {
    return (
      <>
        A report on this call was refused. Its client may still report it; a person can only abandon the run.
      </>
    );
  }
  if (call.effect === "write") {
    const isPersons = declared !== undefined && isPersonsToClose(declared);
    if (isDriven && !isPersons)
      return <>Its client is connected, and may still say how this ended. Let it, unless you know better.</>;
    return (
      <>
        {isPersons ? "A person settles every call of this tool. " : "Nobody knows whether this happened. "}
        {driver}. Look for the key at the provider, then say what you found.
      </>
    );
  }
  return <>No client may close this call: a person says what came of it. {driver}.</>;
}

function Waited({ iso }: { readonly iso: string }) {
  const now = useNow();
  return (
    <span class="waited" title={`since ${clockOf(iso)}`}>
      waits <time dateTime={iso}>{lengthOf(now - Date.parse(iso))}</time>
    </span>
  );
}

function Facts({
  waiting,
  run,
  summary,
}: {
  readonly waiting: Waiting;
  readonly run: RunAnswer;
  readonly summary: RunSummaryAnswer;
}) {
  const money = waiting.kind === "call" ? moneyIn(waiting.call.input) : [];
  return (
    <dl class="facts">
      {money.map(({ name, text }) => (
        <div key={name}>
          <dt>
            <bdi>{cut(visible(name), 30)}</bdi>
          </dt>
          <dd class="money">{text}</dd>
        </div>
      ))}
      {waiting.kind === "call" && (
        <div>
          <dt>key</dt>
          <dd>
            {waiting.call.idempotency_key === null ? (
              "none"
            ) : (
              <Code text={waiting.call.idempotency_key} what="the idempotency key" />
            )}
          </dd>
        </div>
      )}
      <div>
        <dt>run</dt>
        <dd>
          <Link to={`/runs/${run.run}`}>
            <code>{run.run.slice(0, 8)}</code>
          </Link>{" "}
          at {waiting.seq ?? run.event_count - 1}
        </dd>
      </div>
      <div>
        <dt>since</dt>
        <dd>{clockOf(run.last_recorded_at)}</dd>
      </div>
      <DriverAndLabels driver={run.driver} labels={summary.labels} />
    </dl>
  );
}
