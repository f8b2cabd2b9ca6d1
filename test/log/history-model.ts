import type { Envelope } from "#salvor/log/events.js";
import { at } from "./events-of.js";

/**
 * What the wire contract says about histories, written down as tables and nothing else: the tests judge the guard and the
 * fold against it, so nothing here may come from them.
 */
export type Phase =
  | "empty"
  | "running"
  | "model"
  | "read"
  | "idempotent"
  | "write"
  | "suspended"
  | "budget"
  | "completed"
  | "failed"
  | "abandoned";

/** The events that a history may go on with. "!" is the one whose inner seq is wrong. */
export const PROBES = [
  "RunStarted",
  "ModelCallRequested",
  "ModelCallRequested!",
  "ModelCallCompleted",
  "ModelCallCompleted!",
  "read",
  "idempotent",
  "write",
  "write!",
  "ToolCallCompleted",
  "ToolCallCompleted!",
  "NowObserved",
  "RandomObserved",
  "Suspended",
  "Resumed",
  "BudgetExceeded",
  "SleepStarted",
  "SleepCompleted",
  "RunCompleted",
  "RunFailed",
  "RunAbandoned",
] as const;

export type Probe = (typeof PROBES)[number];

/** Legal, or the number of the first rule that refuses. SleepCompleted has two columns: awake, and (z) asleep. */
// prettier-ignore
const VERDICTS: Readonly<Record<Phase, readonly (0 | 3 | 5 | 6 | 7 | 8 | 9 | 10 | 11)[]>> = {
  //         start  model !  done !   rd id wr  !  done !  now rnd  susp res budg  slp  wake z  compl fail aband
  empty:      [ 0,    3,  3,   3, 3,   3, 3, 3, 3,   3, 3,   3,  3,   3,  3,   3,    3,   3, 3,    3,   3,   3],
  running:    [ 5,    0,  9,   8, 8,   0, 0, 0, 9,   8, 8,   0,  0,   0, 11,   0,    0,  10, 0,    0,   0,   0],
  model:      [ 5,    7,  7,   0, 7,   7, 7, 7, 7,   7, 7,   7,  7,   7,  7,   7,    7,   7, 7,    7,   7,   0],
  read:       [ 5,    7,  7,   7, 7,   7, 7, 7, 7,   0, 7,   7,  7,   7,  7,   7,    7,   7, 7,    7,   7,   0],
  idempotent: [ 5,    7,  7,   7, 7,   7, 7, 7, 7,   0, 7,   7,  7,   7,  7,   7,    7,   7, 7,    7,   7,   0],
  write:      [ 5,    7,  7,   7, 7,   7, 7, 7, 7,   0, 7,   7,  7,   7,  7,   7,    7,   7, 7,    7,   7,   0],
  suspended:  [ 5,   11,  9,   8, 8,  11,11,11, 9,   8, 8,  11, 11,  11,  0,  11,   11,  10,11,    0,   0,   0],
  budget:     [ 5,   11,  9,   8, 8,  11,11,11, 9,   8, 8,  11, 11,  11,  0,  11,   11,  10,11,    0,   0,   0],
  completed:  [ 5,    6,  6,   6, 6,   6, 6, 6, 6,   6, 6,   6,  6,   6,  6,   6,    6,   6, 6,    6,   6,   6],
  failed:     [ 5,    6,  6,   6, 6,   6, 6, 6, 6,   6, 6,   6,  6,   6,  6,   6,    6,   6, 6,    6,   6,   6],
  abandoned:  [ 5,    6,  6,   6, 6,   6, 6, 6, 6,   6, 6,   6,  6,   6,  6,   6,    6,   6, 6,    6,   6,   6],
};

/** The phase that a legal event leads to; a probe that is missing changes none. */
const LEADS_TO: Readonly<Partial<Record<Probe, Phase>>> = {
  RunStarted: "running",
  ModelCallRequested: "model",
  ModelCallCompleted: "running",
  read: "read",
  idempotent: "idempotent",
  write: "write",
  ToolCallCompleted: "running",
  Suspended: "suspended",
  Resumed: "running",
  BudgetExceeded: "budget",
  RunCompleted: "completed",
  RunFailed: "failed",
  RunAbandoned: "abandoned",
};

/** The state that the fold must show in each phase. */
export const STATE_OF: Readonly<Record<Phase, string>> = {
  empty: "not_started",
  running: "running",
  model: "awaiting_model",
  read: "awaiting_tool",
  idempotent: "awaiting_tool",
  write: "needs_reconciliation",
  suspended: "suspended",
  budget: "budget_exceeded",
  completed: "completed",
  failed: "failed",
  abandoned: "abandoned",
};

/** Where a history stands, as the tables see it. */
export interface Standing {
  readonly phase: Phase;
  readonly asleep: boolean;
  readonly length: number;
  /** The position of the open intent, else -1. It stays open when its run is abandoned. */
  readonly open: number;
  readonly modelCalls: number;
}

export const START: Standing = { phase: "empty", asleep: false, length: 0, open: -1, modelCalls: 0 };

/** `null` when an event may follow, else the number of the rule that refuses it. */
export function verdictOf({ phase, asleep }: Standing, probe: Probe): number | null {
  const column = PROBES.indexOf(probe);
  const shift = column > PROBES.indexOf("SleepCompleted") || (probe === "SleepCompleted" && asleep) ? 1 : 0;
  const verdict = VERDICTS[phase][column + shift];
  if (verdict === undefined) throw new Error(`the table has no column ${column + shift}`);
  return verdict === 0 ? null : verdict;
}

/** Where a history stands after a legal event. */
export function afterwards(standing: Standing, probe: Probe): Standing {
  const phase = LEADS_TO[probe] ?? standing.phase;
  const opens = phase === "model" || phase === "read" || phase === "idempotent" || phase === "write";
  return {
    phase,
    asleep: probe === "SleepStarted" || (standing.asleep && probe !== "SleepCompleted"),
    length: standing.length + 1,
    open: opens ? standing.length : probe.endsWith("CallCompleted") ? -1 : standing.open,
    modelCalls: standing.modelCalls + (probe === "ModelCallRequested" ? 1 : 0),
  };
}

/** The event that a probe stands for, at the next position. */
export function eventOf({ length, open }: Standing, probe: Probe): Envelope {
  const seq = probe.endsWith("!") ? length + 7 : length;
  const settled = probe.endsWith("!") ? open + 1 : open;
  switch (probe) {
    case "RunStarted":
      return at(length, "RunStarted", { agent_def_hash: "sha256:0", input: {} });
    case "ModelCallRequested":
    case "ModelCallRequested!":
      return at(length, "ModelCallRequested", { seq, request_hash: "sha256:1" });
    case "ModelCallCompleted":
    case "ModelCallCompleted!":
      return at(length, "ModelCallCompleted", {
        seq: settled,
        response: {},
        usage: { input_tokens: 3, output_tokens: 2 },
      });
    case "read":
    case "idempotent":
    case "write":
      return at(length, "ToolCallRequested", {
        seq,
        tool: "refund",
        input: { n: length },
        effect: probe,
        idempotency_key: "sha256:2",
      });
    case "write!":
      return at(length, "ToolCallRequested", {
        seq,
        tool: "refund",
        input: {},
        effect: "write",
        idempotency_key: null,
      });
    case "ToolCallCompleted":
    case "ToolCallCompleted!":
      return at(length, "ToolCallCompleted", { seq: settled, output: "done" });
    case "NowObserved":
      return at(length, "NowObserved", { now: "2026-01-02T03:04:05Z" });
    case "RandomObserved":
      return at(length, "RandomObserved", { value: 18446744073709551615n });
    case "Suspended":
      return at(length, "Suspended", { reason: "who?", input_schema: { type: "string" } });
    case "Resumed":
      return at(length, "Resumed", { input: null });
    case "BudgetExceeded":
      return at(length, "BudgetExceeded", { budget: { kind: "steps", limit: 1 }, observed: 2 });
    case "SleepStarted":
      return at(length, "SleepStarted", { until: "2026-01-02T03:04:05Z" });
    case "SleepCompleted":
      return at(length, "SleepCompleted", {});
    case "RunCompleted":
      return at(length, "RunCompleted", { output: 1 });
    case "RunFailed":
      return at(length, "RunFailed", { error: "no" });
    case "RunAbandoned":
      return at(length, "RunAbandoned", { reason: "enough" });
  }
}
