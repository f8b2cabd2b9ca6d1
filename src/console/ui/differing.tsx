import type { Difference } from "./differences.js";
import { cut, visible } from "./visible.js";

/** How long a value may be that stands in a sentence. */
const LONGEST = 120;

interface DifferingProps {
  readonly differences: readonly Difference[];
  /** What the other value is: what was asked for, unless something is recorded. */
  readonly against?: "asked for" | "recorded is";
}

/** Says of each member that it is not what it was to be: a warning, for whoever decides. */
export function Differing({ differences, against = "asked for" }: DifferingProps) {
  if (differences.length === 0) return null;
  return (
    <ul class="differing">
      {differences.map((each) => (
        <li key={each.place}>
          <bdi>{cut(visible(each.name), 80)}</bdi>: <Words difference={each} against={against} />
        </li>
      ))}
    </ul>
  );
}

/** The same beside a field, which has its name already. */
export function DiffersHere({ difference }: { readonly difference: Difference | undefined }) {
  if (difference === undefined) return null;
  return (
    <p class="warning">
      <Words difference={difference} against="Asked for" />
    </p>
  );
}

function Words({
  difference: { asked, said },
  against,
}: {
  readonly difference: Difference;
  readonly against: string;
}) {
  return (
    <>
      {against} <bdi>{cut(visible(asked), LONGEST)}</bdi>, this says <bdi>{cut(visible(said), LONGEST)}</bdi>
    </>
  );
}
