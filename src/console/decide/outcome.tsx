import { useEffect, useRef } from "preact/hooks";
import { Link } from "../router.js";
import { JsonView } from "../ui/json-view.js";
import { Clock } from "../ui/time.js";
import { cut, visible } from "../ui/visible.js";
import { Words } from "../ui/words.js";
import { moneyIn, receiptIn, type Fact } from "./amounts.js";
import type { Decision } from "./decision.js";
import type { Waiting } from "./waiting.js";
import type { Ending } from "./what-happened.js";

/** What came of a decision: it is recorded, it turned out to be, or somebody else was faster. */
export type Told =
  | { readonly kind: "recorded"; readonly decision: Decision; readonly waiting: Waiting }
  | {
      readonly kind: "found" | "other";
      readonly ending: Ending;
      readonly decision: Decision;
      readonly waiting: Waiting;
    };

const RECORDED: Readonly<Record<Decision["kind"], string>> = {
  happened: "it happened",
  not_performed: "it did not happen",
  resume: "the run is resumed",
  abandon: "the run is abandoned",
};

/** Who goes on from here. */
const GOES_ON = "The client goes on when it asks again; nothing more to do here.";
const NEXT: Readonly<Record<Decision["kind"], string>> = {
  happened: `Your part is done. ${GOES_ON}`,
  not_performed: `Your part is done. ${GOES_ON} It may ask for the same call again, under the same key.`,
  resume: `Your part is done. ${GOES_ON}`,
  abandon: "The run is over, and nobody goes on with it.",
};

/** The same of a run that is looked at later. */
export function GoesOn({ isDecided }: { readonly isDecided: boolean }) {
  return (
    <p class="goes-on">
      {isDecided
        ? `The operator's part is done. ${GOES_ON}`
        : "Nothing here waits for a person. Nobody drives the run at the moment: its client goes on when it asks again."}
    </p>
  );
}

interface OutcomeProps {
  readonly run: string;
  readonly told: Told;
  readonly onDismiss: () => void;
}

export function Outcome({ run, told, onDismiss }: OutcomeProps) {
  const isGood = told.kind !== "other" && told.decision.kind !== "abandon";
  const place = useRef<HTMLDivElement>(null);
  // The dialog that was decided in is gone, and so is the button that had the focus before it: reading goes on here.
  useEffect(() => place.current?.focus(), []);
  return (
    <div
      ref={place}
      class={`notice ${isGood ? "notice-good" : "notice-warning"}`}
      role="status"
      tabIndex={-1}
    >
      {told.kind === "recorded" ? (
        <Recorded run={run} decision={told.decision} waiting={told.waiting} />
      ) : (
        <Found ending={told.ending} isOther={told.kind === "other"} />
      )}
      <button type="button" class="quiet" onClick={onDismiss}>
        Dismiss
      </button>
    </div>
  );
}

interface RecordedProps {
  readonly run: string;
  readonly decision: Decision;
  readonly waiting: Waiting;
}

function Recorded({ run, decision, waiting }: RecordedProps) {
  return (
    <div>
      <p>
        <strong>Recorded: {RECORDED[decision.kind]}.</strong>
      </p>
      <ul class="recorded">
        {factsOf(decision, waiting).map(({ name, text }, at) => (
          <li key={at}>
            {cut(visible(name), 60)} <bdi>{cut(visible(text), 120)}</bdi>
          </li>
        ))}
        <li>
          run{" "}
          <Link to={`/runs/${run}`}>
            <code>{run.slice(0, 8)}</code>
          </Link>
        </li>
      </ul>
      <p>{NEXT[decision.kind]}</p>
    </div>
  );
}

function factsOf(decision: Decision, waiting: Waiting): readonly Fact[] {
  const by =
    "operator" in decision && decision.operator !== "" ? [{ name: "by", text: decision.operator }] : [];
  if (waiting.kind !== "call") return by;
  const { tool, input } = waiting.call;
  const tools = { name: "tool", text: tool };
  if (decision.kind !== "happened") return [tools, ...moneyIn(input), ...by];
  const { output } = decision;
  const money = moneyIn(output);
  return [tools, ...(money.length > 0 ? money : moneyIn(input)), ...receiptIn(output, input), ...by];
}

function Found({ ending, isOther }: { readonly ending: Ending; readonly isOther: boolean }) {
  const who = ending.by === undefined ? "Somebody" : cut(visible(ending.by), 60);
  return (
    <div>
      <p>
        <strong>
          {isOther
            ? "Somebody else was faster. What you decided was not recorded."
            : "The answer was lost. This is what is recorded:"}
        </strong>
      </p>
      <p>
        <bdi>{who}</bdi> {ending.words}, at <Clock iso={ending.at} />.
      </p>
      {ending.note !== undefined && (
        <p>
          Note: <Words text={ending.note} />
        </p>
      )}
      {ending.value !== undefined && <JsonView value={ending.value} label="What is recorded" />}
    </div>
  );
}
