import type { RunAnswer } from "../../client/answers.js";
import { ownValue, isJsonObject, type JsonObject, type JsonSchema } from "../../contract/json.js";
import type { PendingCall } from "../../log/fold.js";
import { budgetOf, extensionSchema, usedWords, type Budget } from "./budget.js";
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
      readonly isBudget: false;
    }
  | {
      readonly kind: "input";
      readonly seq: number;
      readonly reason: string;
      readonly schema: JsonSchema;
      readonly isBudget: true;
      readonly budget: Budget;
    }
  | { readonly kind: "nothing"; readonly seq: number | undefined };

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
    const budget = budgetOf(status);
    const [reason, schema] = [usedWords(budget), extensionSchema(budget)];
    return { kind: "input", seq: count - 1, reason, schema, isBudget: true, budget };
  }
  return { kind: "nothing", seq: pending?.seq };
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
