import { useId, useMemo } from "preact/hooks";
import { fold } from "../../log/fold.js";
import type { Envelope } from "../../log/events.js";
import { go } from "../router.js";
import { StateBadge } from "../ui/badge.js";
import { JsonView } from "../ui/json-view.js";
import { Words } from "../ui/words.js";

interface StateAtProps {
  readonly run: string;
  readonly events: readonly Envelope[];
  readonly at: number | undefined;
}

/** What the log meant at any point of it: its fold up to there. */
export function StateAt({ run, events, at }: StateAtProps) {
  const id = useId();
  const last = events.length - 1;
  const seq = Math.min(at ?? last, last);
  const state = useMemo(() => fold(events.slice(0, seq + 1)), [events, seq]);
  const { pending, status, usage } = state;
  const move = (value: string): void => {
    const wanted = Number(value);
    go(wanted === last ? `/runs/${run}` : `/runs/${run}?at=${wanted}`, "replace");
  };
  return (
    <aside class="state-at" aria-label="State at a point of the timeline">
      <h2>State after {seq === last ? "the last event" : `event ${seq}`}</h2>
      {last > 0 && (
        <div class="scrub">
          <label for={id}>Event</label>
          <input
            id={id}
            type="range"
            min={0}
            max={last}
            value={seq}
            onInput={(event) => move(event.currentTarget.value)}
          />
          <output for={id}>
            {seq} of {last}
          </output>
        </div>
      )}
      <dl class="facts">
        <div>
          <dt>state</dt>
          <dd>
            <StateBadge state={status.state} />
          </dd>
        </div>
        {status.state === "suspended" && (
          <div>
            <dt>reason</dt>
            <dd>
              <Words text={status.reason} />
            </dd>
          </div>
        )}
        {status.state === "failed" && (
          <div>
            <dt>error</dt>
            <dd>
              <Words text={status.error} />
            </dd>
          </div>
        )}
        <div>
          <dt>steps</dt>
          <dd>{state.stepCount}</dd>
        </div>
        <div>
          <dt>tokens</dt>
          <dd>
            {usage.input_tokens.toLocaleString("en")} in, {usage.output_tokens.toLocaleString("en")} out
          </dd>
        </div>
        {state.asleep && (
          <div>
            <dt>asleep</dt>
            <dd>yes</dd>
          </div>
        )}
        <div>
          <dt>open call</dt>
          <dd>{pending === null ? "none" : ""}</dd>
        </div>
      </dl>
      {pending !== null && <JsonView value={pending} label="Open call" />}
      {status.state === "completed" && (
        <>
          <h3>Output</h3>
          <JsonView value={status.output} label="Output of the run" />
        </>
      )}
    </aside>
  );
}
