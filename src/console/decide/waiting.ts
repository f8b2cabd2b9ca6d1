import type { RunAnswer } from "../../client/answers.js";
import { ownValue, isJsonObject, type JsonObject, type JsonSchema } from "../../contract/json.js";
import type { PendingCall } from "../../log/fold.js";
import { isPersonsToClose, type KnownTool, type KnownTools } from "../tools/known-tool.js";

export type PendingTool = Extract<PendingCall, { kind: "tool" }>;

/** What a run waits for, as far as a person can do something about it. */
export type Waiting =
  | {
      readonly kind: "call";
      readonly seq: number;
      readonly call: PendingTool;
      readonly declared: KnownTool | undefined;
      /** Whether a person may say how it ended; when not, its client has to. */
      readonly canSettle: boolean;
    }
  | {
      readonly kind: "input";
      readonly seq: number;
      readonly reason: string;
      readonly schema: JsonSchema;
      readonly isBudget: boolean;
    }
  | { readonly kind: "nothing"; readonly seq: number | undefined };

const BUDGET_EXTENSION: JsonSchema = {
  type: "object",
  properties: {
    extend: {
      type: "object",
      description: "By how much each limit is raised.",
      properties: {
        steps: { type: "integer", minimum: 0 },
        tokens: { type: "integer", minimum: 0 },
        cost_usd: { type: "number" },
        wall_time_seconds: { type: "number" },
      },
    },
  },
};

/** @param tools what this server knows, by name. */
export function waitingOf({ status, pending, event_count: count }: RunAnswer, tools: KnownTools): Waiting {
  if (pending?.kind === "tool") {
    const declared = tools.get(pending.tool);
    return {
      kind: "call",
      seq: pending.seq,
      call: pending,
      declared,
      canSettle: canSettle(pending, declared),
    };
  }
  if (status.state === "suspended") {
    const { reason, input_schema: schema } = status;
    return { kind: "input", seq: count - 1, reason, schema, isBudget: false };
  }
  if (status.state === "budget_exceeded") {
    const { kind, limit } = status.budget;
    const reason = `The run has used ${status.observed} of its ${limit} ${budgetWords(kind)}.`;
    return { kind: "input", seq: count - 1, reason, schema: BUDGET_EXTENSION, isBudget: true };
  }
  return { kind: "nothing", seq: pending?.seq };
}

function budgetWords(kind: string): string {
  return kind === "cost_usd" ? "US dollars" : kind === "wall_time" ? "seconds" : kind;
}

/** A write is a person's to settle, and so is a call that no client may close. */
function canSettle({ effect }: PendingTool, declared: KnownTool | undefined): boolean {
  return effect === "write" || declared === undefined || isPersonsToClose(declared);
}

/** The members of an output that are not for anybody to choose, with what the input says. */
export function pinsOf({ input }: PendingTool, declared: KnownTool | undefined): JsonObject {
  if (!isJsonObject(input)) return {};
  const entries = (declared?.require_equal ?? [])
    .map((name) => [name, ownValue(input, name)] as const)
    .filter(
      (entry): entry is readonly [string, Exclude<(typeof entry)[1], undefined>] => entry[1] !== undefined,
    );
  return Object.fromEntries(entries);
}
