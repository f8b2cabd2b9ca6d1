import { isJsonObject, ownValue, type JsonSchema, type JsonValue } from "../../contract/json.js";
import type { Violation } from "../../contract/validator.js";
import type { RunStatus } from "../../log/fold.js";
import { pathText } from "../../contract/json-path.js";
import { lineJson } from "../ui/json-text.js";
import type { Fact } from "./amounts.js";

/** The budget that a run is over. */
export interface Budget {
  /** What an extension of it is called. */
  readonly member: string;
  readonly words: string;
  readonly limit: number;
  readonly observed: number;
}

/** What can be extended, by its name in an extension, with the name that the log gives it and the words of a person. */
const KINDS = [
  { member: "steps", kind: "steps", words: "steps", schema: { type: "integer", minimum: 0 } },
  { member: "tokens", kind: "tokens", words: "tokens", schema: { type: "integer", minimum: 0 } },
  { member: "cost_usd", kind: "cost_usd", words: "US dollars", schema: { type: "number", minimum: 0 } },
  {
    member: "wall_time_seconds",
    kind: "wall_time",
    words: "seconds",
    schema: { type: "number", minimum: 0 },
  },
] as const;

export function budgetOf({
  budget: { kind, limit },
  observed,
}: Extract<RunStatus, { state: "budget_exceeded" }>): Budget {
  const known = KINDS.find((each) => each.kind === kind);
  return { member: known?.member ?? kind, words: known?.words ?? kind, limit, observed };
}

export function usedWords({ observed, limit, words }: Budget): string {
  return `The run has used ${observed} of its ${limit} ${words}.`;
}

/** An extension as the form asks for it: the budget that is used up first. */
export function extensionSchema(budget: Budget): JsonSchema {
  const sorted = [...KINDS].sort(
    (a, b) => Number(b.member === budget.member) - Number(a.member === budget.member),
  );
  const properties = Object.fromEntries(
    sorted.map(({ member, words, schema }) => [
      member,
      {
        ...schema,
        description:
          member === budget.member
            ? `So many ${words} are added to the limit of ${budget.limit}: it is not a new total.`
            : `So many ${words} are added to the limit.`,
      },
    ]),
  );
  const extend = { type: "object", properties };
  return { type: "object", required: ["extend"], properties: { extend } };
}

/** What is wrong with an extension besides its schema: one that extends nothing leaves the run where it is. */
export function judgeExtension(budget: Budget, input: JsonValue | undefined): readonly Violation[] {
  const extend = isJsonObject(input) ? ownValue(input, "extend") : undefined;
  const given = isJsonObject(extend) ? Object.entries(extend) : [];
  const small = given
    .filter(([, value]) => typeof value === "number" && value <= 0)
    .map(([name]) => ({ path: pathText(["extend", name]), message: "More than 0." }));
  if (given.length > 0) return small;
  const path = pathText(["extend", budget.member]);
  return [{ path, message: `Give at least one extension: how many ${budget.words} are added.` }];
}

/** An extension in words, for whoever confirms it. */
export function extensionFacts(budget: Budget, input: JsonValue): readonly Fact[] {
  const extend = isJsonObject(input) ? ownValue(input, "extend") : undefined;
  return Object.entries(isJsonObject(extend) ? extend : {}).map(([name, value]) => {
    const words = KINDS.find(({ member }) => member === name)?.words ?? name;
    const limit = name === budget.member ? `the limit of ${budget.limit}` : "the limit";
    return { name: words, text: `${lineJson(value)} more, on top of ${limit}` };
  });
}
