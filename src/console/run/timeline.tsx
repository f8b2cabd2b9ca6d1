import { useEffect, useState } from "preact/hooks";
import type { Envelope } from "../../log/events.js";
import { useApi } from "../api.js";
import { go } from "../router.js";
import { EffectBadge } from "../ui/badge.js";
import { Copy } from "../ui/copy.js";
import { JsonView } from "../ui/json-view.js";
import { clockOf } from "../ui/time.js";
import { Code, Words } from "../ui/words.js";
import { tell } from "./event-words.js";
import { readingCurl } from "./reading-curl.js";

/** How many events are drawn before somebody asks for the earlier ones. */
const SHOWN = 200;
/** How many of those before a position are drawn with it. */
const BEFORE = 20;

interface TimelineProps {
  readonly run: string;
  readonly events: readonly Envelope[];
  /** The position whose state is looked at. */
  readonly at: number | undefined;
}

/** What was recorded, in order. */
export function Timeline({ run, events, at }: TimelineProps) {
  const [shown, setShown] = useState(SHOWN);
  const tail = Math.max(0, events.length - shown);
  // A position that lies before what is drawn has a piece of the timeline of its own.
  const isBefore = at !== undefined && at < tail;
  const first = isBefore ? Math.max(0, at - BEFORE) : tail;
  const end = isBefore ? Math.min(events.length, first + SHOWN) : events.length;
  useEffect(() => {
    if (at !== undefined) document.getElementById(`event-${at}`)?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div class="timeline">
      <h2>Timeline</h2>
      {first > 0 && (
        <button type="button" class="more" onClick={() => setShown(shown + SHOWN * 5)}>
          Show earlier events ({first.toLocaleString("en")} more)
        </button>
      )}
      <ol>
        {events.slice(first, end).map((envelope) => (
          <Event key={envelope.seq} run={run} envelope={envelope} isLookedAt={envelope.seq === at} />
        ))}
      </ol>
      {end < events.length && (
        <button type="button" class="more" onClick={() => go(`/runs/${run}`, "replace")}>
          Show the latest events
        </button>
      )}
    </div>
  );
}

interface EventProps {
  readonly run: string;
  readonly envelope: Envelope;
  readonly isLookedAt: boolean;
}

function Event({ run, envelope, isLookedAt }: EventProps) {
  const { token } = useApi();
  const { title, about, note, who, effect, key, parts, tone } = tell(envelope);
  const { seq } = envelope;
  return (
    <li class={`event tone-${tone}${isLookedAt ? " looked-at" : ""}`} id={`event-${seq}`}>
      <div class="event-line">
        <span class="seq">{seq}</span>
        <time dateTime={envelope.recorded_at} title={envelope.recorded_at}>
          {clockOf(envelope.recorded_at).slice(11)}
        </time>
        <span class="event-title">{title}</span>
        {effect !== undefined && <EffectBadge effect={effect} />}
        {about !== undefined && about !== "" && (
          <span class="about">
            <Words text={about} />
          </span>
        )}
        {who !== "" && (
          <span class="who">
            by <Words text={who} />
          </span>
        )}
      </div>
      {key !== undefined && (
        <div class="event-key">
          key <Code text={key} what="the idempotency key" />
        </div>
      )}
      {note !== undefined && (
        <div class="event-note">
          <Words text={note} />
        </div>
      )}
      <div class="event-more">
        {parts.map(([name, value]) => (
          <Fold key={name} name={name}>
            {() => <JsonView value={value} label={`${name} at ${seq}`} />}
          </Fold>
        ))}
        <span class="event-actions">
          <button
            type="button"
            class="quiet"
            aria-pressed={isLookedAt}
            aria-label={`State here, after event ${seq}`}
            onClick={() => go(isLookedAt ? `/runs/${run}` : `/runs/${run}?at=${seq}`, "replace")}
          >
            State here
          </button>
          <Copy text={readingCurl(run, seq, token !== undefined)} what={`to read from event ${seq} on`}>
            curl
          </Copy>
        </span>
      </div>
    </li>
  );
}

/** What is folded away is not drawn. */
function Fold({ name, children }: { readonly name: string; readonly children: () => preact.ComponentChild }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{name}</summary>
      {isOpen && children()}
    </details>
  );
}
