import type { RunAnswer, RunSummaryAnswer } from "../../client/answers.js";
import { Labels } from "./words.js";

interface DriverAndLabelsProps {
  readonly driver: RunAnswer["driver"];
  readonly labels: RunSummaryAnswer["labels"];
}

/** Two entries of a list of facts about a run: whether its driver is connected, and its labels; each only where it is known. */
export function DriverAndLabels({ driver, labels }: DriverAndLabelsProps) {
  return (
    <>
      {driver !== undefined && (
        <div>
          <dt>driver</dt>
          <dd>{driver === "attached" ? "connected" : "none"}</dd>
        </div>
      )}
      {labels !== undefined && (
        <div>
          <dt>labels</dt>
          <dd>
            <Labels labels={labels} />
          </dd>
        </div>
      )}
    </>
  );
}
