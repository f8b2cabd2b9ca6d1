import { useEffect, useRef } from "preact/hooks";
import { JsonView } from "../ui/json-view.js";
import { Clock } from "../ui/time.js";
import { cut, visible } from "../ui/visible.js";
import { Words } from "../ui/words.js";
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

export function Outcome({ told, onDismiss }: { readonly told: Told; readonly onDismiss: () => void }) {
  const isOther = told.kind === "other";
  const place = useRef<HTMLDivElement>(null);
  // The dialog that was decided in is gone, and so is the button that had the focus before it: reading goes on here.
  useEffect(() => place.current?.focus(), []);
  return (
    <div
      ref={place}
      class={`notice ${isOther ? "notice-warning" : "notice-good"}`}
      role="status"
      tabIndex={-1}
    >
      {told.kind === "recorded" ? (
        <p>
          <strong>Recorded: {RECORDED[told.decision.kind]}.</strong>{" "}
          {told.waiting.kind === "call" && cut(visible(told.waiting.call.tool), 80)}
        </p>
      ) : (
        <Found ending={told.ending} isOther={isOther} />
      )}
      <button type="button" class="quiet" onClick={onDismiss}>
        Dismiss
      </button>
    </div>
  );
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
