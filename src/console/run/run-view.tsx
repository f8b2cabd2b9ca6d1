import { useEffect, useMemo, useRef } from "preact/hooks";
import type { RunAnswer } from "../../client/answers.js";
import { parseRunId } from "../../log/run-id.js";
import { isTerminal } from "../../log/fold.js";
import { isFailureOutput } from "../../contract/reserved.js";
import { holds, type Envelope } from "../../log/events.js";
import { useApi } from "../api.js";
import { Decide } from "../decide/decide.js";
import { GoesOn } from "../decide/outcome.js";
import { waitingOf } from "../decide/waiting.js";
import { Title, TitleMarks, WaitingBody } from "../inbox/waiting-body.js";
import { useLive } from "../live.js";
import type { KnownTools } from "../tools/known-tool.js";
import { useTools } from "../tools/use-tools.js";
import { StateBadge } from "../ui/badge.js";
import { Copy } from "../ui/copy.js";
import { DriverAndLabels } from "../ui/driver-and-labels.js";
import { Ago, Clock } from "../ui/time.js";
import { KeptReports } from "./kept-reports.js";
import { readingCurl } from "./reading-curl.js";
import { StateAt } from "./state-at.js";
import { Timeline } from "./timeline.js";
import { useTail, type Tail } from "./use-tail.js";

const EVERY_MS = 5_000;

/** One run: what it is, what it waits for, and all that was recorded of it. */
export function RunView({ run: id, at }: { readonly run: string; readonly at: number | undefined }) {
  const run = parseRunId(id);
  if (run === undefined) {
    return (
      <section class="view">
        <h1 tabIndex={-1}>Run</h1>
        <p class="empty">This is not the id of a run.</p>
      </section>
    );
  }
  return <KnownRun key={run} run={run} at={at} />;
}

function KnownRun({ run, at }: { readonly run: string; readonly at: number | undefined }) {
  const tail = useTail(run);
  const { byName, isRead } = useTools();
  const { value, problem, reload } = useLive(`run ${run}`, EVERY_MS, (client, signal) =>
    client.run(run, { signal }),
  );
  const count = useRef(0);
  useEffect(() => {
    if (count.current !== tail.events.length) reload();
    count.current = tail.events.length;
  }, [tail.events.length]);
  const labels = useMemo(() => {
    const [first] = tail.events;
    return holds(first, "RunStarted") ? first.event.payload.labels : undefined;
  }, [tail.events[0]]);
  return (
    <section class="view">
      <header class="view-head">
        <h1 tabIndex={-1}>
          Run <code>{run.slice(0, 8)}</code>
        </h1>
        {value !== undefined && <StateBadge state={value.status.state} />}
        <LiveMark tail={tail} />
      </header>
      {value === undefined ? (
        <p class="empty">{problem === "" ? "Reading…" : problem}</p>
      ) : (
        <>
          <RunFacts run={value} labels={labels} />
          {isRead && !isTerminal(value.status) && (
            <Waits run={value} tools={byName} events={tail.events} onChange={reload} />
          )}
          <KeptReports run={value} tools={byName} events={tail.events} />
        </>
      )}
      {tail.problem !== "" && value !== undefined && <p class="note">{tail.problem}</p>}
      {tail.events.length > 0 && (
        <div class="timeline-and-state">
          <Timeline run={run} events={tail.events} at={at} />
          <StateAt run={run} events={tail.events} at={at} />
        </div>
      )}
    </section>
  );
}

interface WaitsProps {
  readonly run: RunAnswer;
  readonly tools: KnownTools;
  readonly events: readonly Envelope[];
  readonly onChange: () => void;
}

function Waits({ run, tools, events, onChange }: WaitsProps) {
  const waiting = waitingOf(run, tools);
  const isWaiting = waiting.kind !== "nothing";
  return (
    <div class={isWaiting ? "waits card" : "waits"}>
      {isWaiting && (
        <>
          <header class="card-head">
            <h2>
              <Title waiting={waiting} />
            </h2>
            <TitleMarks waiting={waiting} since={run.last_recorded_at} />
          </header>
          <WaitingBody waiting={waiting} run={run} />
        </>
      )}
      <Decide run={run} tools={tools} onChange={onChange}>
        {run.driver === "none" && <GoesOn isDecided={isDecision(events[run.event_count - 1])} />}
      </Decide>
    </div>
  );
}

/** Whether it was a person who recorded it. */
function isDecision(envelope: Envelope | undefined): boolean {
  if (holds(envelope, "ToolCallCompleted")) {
    const { output, resolved_by: by } = envelope.event.payload;
    return by !== undefined || (isFailureOutput(output) && output.__salvor_error.attempts === 0);
  }
  return holds(envelope, "Resumed");
}

function LiveMark({ tail }: { readonly tail: Tail }) {
  return (
    <span class="live" role="status">
      {tail.hasEnded ? "ended" : tail.isLive && tail.problem === "" ? "live" : ""}
    </span>
  );
}

function RunFacts({
  run,
  labels,
}: {
  readonly run: RunAnswer;
  readonly labels: Readonly<Record<string, string>> | undefined;
}) {
  const { token } = useApi();
  const { input_tokens: input, output_tokens: output } = run.usage;
  return (
    <dl class="facts facts-row">
      <div>
        <dt>id</dt>
        <dd>
          <code class="whole">{run.run}</code> <Copy text={run.run} what="the run's id" />
        </dd>
      </div>
      <div>
        <dt>started</dt>
        <dd>
          <Clock iso={run.first_recorded_at} />
        </dd>
      </div>
      <div>
        <dt>last activity</dt>
        <dd>
          <Ago iso={run.last_recorded_at} />
        </dd>
      </div>
      <div>
        <dt>events</dt>
        <dd>{run.event_count.toLocaleString("en")}</dd>
      </div>
      {input + output > 0 && (
        <div>
          <dt>tokens</dt>
          <dd>
            {input.toLocaleString("en")} in, {output.toLocaleString("en")} out
          </dd>
        </div>
      )}
      <DriverAndLabels driver={run.driver} labels={labels} />
      <div>
        <dt>read it</dt>
        <dd>
          <Copy text={readingCurl(run.run, 0, token !== undefined)} what="to read this run">
            Copy as curl
          </Copy>
        </dd>
      </div>
    </dl>
  );
}
