import type { RunAnswer, RunSummaryAnswer } from "../../client/answers.js";
import { moneyIn } from "../decide/amounts.js";
import type { Waiting } from "../decide/waiting.js";
import { Link } from "../router.js";
import { isPersonsToClose } from "../tools/known-tool.js";
import { EffectBadge } from "../ui/badge.js";
import { DriverAndLabels } from "../ui/driver-and-labels.js";
import { JsonView } from "../ui/json-view.js";
import { clockOf, lengthOf, useNow } from "../ui/time.js";
import { cut, visible } from "../ui/visible.js";
import { Code, Words } from "../ui/words.js";
import { RefusedReports } from "./refused-reports.js";

/** What a run waits for, as a heading names it. */
export function Title({
  waiting,
  isUnreadable = false,
}: {
  readonly waiting: Waiting | undefined;
  readonly isUnreadable?: boolean;
}) {
  if (isUnreadable) return <>Unreadable log</>;
  if (waiting === undefined) return <>…</>;
  if (waiting.kind === "call") return <bdi>{cut(visible(waiting.call.tool), 120)}</bdi>;
  if (waiting.kind === "input") return <>{waiting.isBudget ? "Over budget" : "Asks for an answer"}</>;
  return <>Waits no more</>;
}

/** What stands beside the heading: what the call may have done, and for how long it has been open. */
export function TitleMarks({
  waiting,
  since,
}: {
  readonly waiting: Waiting | undefined;
  readonly since: string;
}) {
  return (
    <>
      {waiting?.kind === "call" && <EffectBadge effect={waiting.call.effect} />}
      {waiting?.kind !== "nothing" && <Waited iso={since} />}
    </>
  );
}

interface WaitingBodyProps {
  readonly waiting: Waiting;
  readonly run: RunAnswer;
  /** What the page around it does not say of the run already; absent where it says all. */
  readonly summary?: RunSummaryAnswer | undefined;
}

/** All that a person decides by: why it waits, the input, the amounts, the key, and what was reported and not believed. */
export function WaitingBody({ waiting, run, summary }: WaitingBodyProps) {
  return (
    <>
      <p class="why">
        <Why waiting={waiting} run={run} />
      </p>
      <div class="card-body">
        {waiting.kind === "call" && (
          <div>
            <h3>Input</h3>
            <JsonView value={waiting.call.input} label="Input" />
          </div>
        )}
        <Facts waiting={waiting} run={run} summary={summary} />
      </div>
      {waiting.kind === "call" && (
        <RefusedReports
          reports={run.refused_reports?.filter(({ seq }) => seq === waiting.seq) ?? []}
          call={waiting.call}
          declared={waiting.declared}
        />
      )}
    </>
  );
}

function Why({ waiting, run }: { readonly waiting: Waiting; readonly run: RunAnswer }) {
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
  const search =
    call.idempotency_key === null
      ? "Search the provider's books for the amount and the recipient"
      : "Search the provider's books for this key, or for the amount and the recipient where they show no keys";
  const say = `${search}. If it is there, press “It happened…” and copy what the provider calls it. If it certainly is not, press “It did not happen…”. If you cannot tell, leave it open.`;
  if (call.effect === "write") {
    const isPersons = declared !== undefined && isPersonsToClose(declared);
    if (isDriven && !isPersons)
      return <>Its client is connected, and may still say how this ended. Let it, unless you know better.</>;
    return (
      <>
        {isPersons ? "A person settles every call of this tool. " : "Nobody knows whether this happened. "}
        {driver}. {say}
      </>
    );
  }
  return (
    <>
      No client may close this call: a person says what came of it. {driver}. {say}
    </>
  );
}

function Waited({ iso }: { readonly iso: string }) {
  const now = useNow();
  return (
    <span class="waited" title={`since ${clockOf(iso)}`}>
      waits <time dateTime={iso}>{lengthOf(now - Date.parse(iso))}</time>
    </span>
  );
}

function Facts({ waiting, run, summary }: WaitingBodyProps) {
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
      {summary !== undefined && (
        <div>
          <dt>run</dt>
          <dd>
            <Link to={`/runs/${run.run}`}>
              <code>{run.run.slice(0, 8)}</code>
            </Link>{" "}
            at {waiting.seq ?? run.event_count - 1}
          </dd>
        </div>
      )}
      <div>
        <dt>since</dt>
        <dd>{clockOf(run.last_recorded_at)}</dd>
      </div>
      {summary !== undefined && <DriverAndLabels driver={run.driver} labels={summary.labels} />}
    </dl>
  );
}
