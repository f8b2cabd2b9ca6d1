import { isJsonObject, ownValue } from "../contract/json.js";
import { SCHEMA_VERSION, type Envelope } from "./events.js";
import { isParked, isTerminal, type PendingCall, type RunState } from "./fold.js";

/** Why an event may not be appended: the rule that it breaks (docs/http-api.md, "The append guard"), and what was found and expected. */
export interface Refusal {
  readonly rule: number;
  readonly position: number;
  readonly found: string;
  readonly expected: string;
  readonly message: string;
}

/**
 * Judges whether an event may be the next of a run. Pure: it sees the log's state and the event, never a declaration.
 * Answers the first rule that fails, or `null` when the event is legal.
 */
export function judgeAppend(runId: string, state: RunState, next: Envelope): Refusal | null {
  for (const rule of RULES) {
    const broken = rule.check(runId, state, next);
    if (broken === null) continue;
    const [found, expected] = broken;
    return {
      rule: rule.number,
      position: state.nextSeq,
      found,
      expected,
      message: `rule ${rule.number} (${rule.name}), position ${state.nextSeq}: found ${found}, expected ${expected}`,
    };
  }
  return null;
}

interface Rule {
  readonly number: number;
  readonly name: string;
  /** `null` when the rule holds, else what was found and what was expected. */
  readonly check: (
    runId: string,
    state: RunState,
    next: Envelope,
  ) => readonly [found: string, expected: string] | null;
}

const RULES: readonly Rule[] = [
  {
    number: 1,
    name: "schema version",
    check: (_run, _state, next) =>
      next.schema_version === SCHEMA_VERSION
        ? null
        : [`schema_version ${next.schema_version}`, `schema_version ${SCHEMA_VERSION}`],
  },
  {
    number: 2,
    name: "no gap, no overlap",
    check: (_run, state, next) =>
      next.seq === state.nextSeq ? null : [`seq ${next.seq}`, `seq ${state.nextSeq}`],
  },
  {
    number: 3,
    name: "a run starts with RunStarted",
    check: (_run, state, next) =>
      state.nextSeq > 0 || next.event.kind === "RunStarted" ? null : [next.event.kind, "RunStarted"],
  },
  {
    number: 4,
    name: "an event names its run",
    check: (runId, _state, next) =>
      next.run_id === runId ? null : [`run_id ${next.run_id}`, `run_id ${runId}`],
  },
  {
    number: 5,
    name: "a run starts once",
    check: (_run, state, next) =>
      state.nextSeq > 0 && next.event.kind === "RunStarted"
        ? ["a second RunStarted", "any other event"]
        : null,
  },
  {
    number: 6,
    name: "nothing follows the end",
    check: (_run, state, next) =>
      isTerminal(state.status) ? [next.event.kind, `nothing: the run is ${state.status.state}`] : null,
  },
  {
    number: 7,
    name: "an intent is followed by its completion",
    check: (_run, { pending }, next) =>
      pending === null || next.event.kind === "RunAbandoned" || completes(pending, next)
        ? null
        : [describe(next), `${completionKind(pending)} with seq ${pending.seq}, or RunAbandoned`],
  },
  {
    number: 8,
    name: "a completion has its intent",
    check: (_run, { pending }, next) =>
      pending === null && isCompletion(next) ? [describe(next), "its intent first"] : null,
  },
  {
    number: 9,
    name: "an intent's seq is its position",
    check: (_run, _state, next) =>
      isIntent(next) && innerSeq(next) !== next.seq
        ? [describe(next), `seq ${next.seq} inside the payload`]
        : null,
  },
  {
    number: 10,
    name: "only a sleeper wakes",
    check: (_run, state, next) =>
      next.event.kind === "SleepCompleted" && !state.asleep ? ["SleepCompleted", "SleepStarted first"] : null,
  },
  {
    number: 11,
    name: "nobody walks past a suspension",
    check: (_run, { status }, next) => {
      const { kind } = next.event;
      if (!isParked(status))
        return kind === "Resumed" ? ["Resumed", "a run that is suspended or over budget"] : null;
      return kind === "Resumed" || TERMINAL_KINDS.has(kind)
        ? null
        : [kind, `Resumed or the end of the run, which is ${status.state}`];
    },
  },
];

const TERMINAL_KINDS: ReadonlySet<string> = new Set(["RunCompleted", "RunFailed", "RunAbandoned"]);

function completionKind(pending: PendingCall): "ModelCallCompleted" | "ToolCallCompleted" {
  return pending.kind === "model" ? "ModelCallCompleted" : "ToolCallCompleted";
}

function completes(pending: PendingCall, next: Envelope): boolean {
  return next.event.kind === completionKind(pending) && innerSeq(next) === pending.seq;
}

function isCompletion({ event }: Envelope): boolean {
  return event.kind === "ModelCallCompleted" || event.kind === "ToolCallCompleted";
}

function isIntent({ event }: Envelope): boolean {
  return event.kind === "ModelCallRequested" || event.kind === "ToolCallRequested";
}

function innerSeq({ event }: Envelope): unknown {
  const payload: unknown = event.payload;
  return isJsonObject(payload) ? ownValue(payload, "seq") : undefined;
}

function describe(next: Envelope): string {
  if (!isIntent(next) && !isCompletion(next)) return next.event.kind;
  const seq = innerSeq(next);
  return `${next.event.kind} with ${typeof seq === "number" ? `seq ${seq}` : "a seq that is no number"}`;
}
