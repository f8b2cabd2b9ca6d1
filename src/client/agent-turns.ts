import type { JsonValue } from "../contract/json.js";
import { holds, type Envelope } from "../log/events.js";
import { jsonEqual } from "../log/json-equal.js";
import { recordedCall, type Intent } from "../log/recorded-call.js";
import { behindGivenUp, isGivenUp } from "./given-up.js";
import { DivergenceError } from "./wire-errors.js";

/** A model's request for a call of a tool. */
export interface ToolAsk {
  /** The id that the model, or the framework over it, gave the request: unique within the answer that it is part of. */
  readonly id: string;
  readonly tool: string;
  readonly input: JsonValue;
}

/** An ask as a recorded answer holds it. */
export interface TurnAsk extends Omit<ToolAsk, "input"> {
  /** Not there when the model wrote none that can be read: a program may repair it before the call is made. */
  readonly input?: JsonValue | undefined;
}

/** Reads which calls of tools a recorded answer of a model asks for, in its order. */
export type AsksOf = (response: JsonValue) => readonly TurnAsk[];

/** What is read out of a recorded answer. */
export interface AnswerReaders {
  readonly asks: AsksOf;
  readonly marks?: ((response: JsonValue) => readonly string[]) | undefined;
}

/** A recorded answer of a model, and what it asks for. */
export interface AgentTurn {
  /** The position of the model call. */
  readonly seq: number;
  readonly asks: readonly TurnAsk[];
  /** What shows in a later request that it carries this answer, besides the ids of its asks. */
  readonly marks: readonly string[];
}

/** A call that is recorded behind a model's answer. */
export interface TurnCall {
  readonly intent: Intent;
  /** Whether it ended, and is recorded as failed. */
  readonly isFailed: boolean;
}

/** The calls that are recorded behind a model's answer, up to what is no call. */
export interface TurnCalls {
  readonly calls: readonly TurnCall[];
  /** The last of them, when it has not ended. */
  readonly open?: Intent;
  /** Where the next one goes. */
  readonly end: number;
}

/** The answers of a model in a part of a log. */
export function turnsOf(log: readonly Envelope[], read: AnswerReaders): readonly AgentTurn[] {
  return log.flatMap((envelope) => {
    if (!holds(envelope, "ModelCallCompleted") || isGivenUp(envelope)) return [];
    const { seq, response } = envelope.event.payload;
    return [turnAt(seq, response, read)];
  });
}

/** A recorded answer as a turn. */
export function turnAt(seq: number, response: JsonValue, { asks, marks }: AnswerReaders): AgentTurn {
  return { seq, asks: asks(response), marks: marks?.(response) ?? [] };
}

/** Whether a turn is one that a request carries the answers of: by the ids of its asks, or by its marks. */
export function isCarried({ asks, marks }: AgentTurn, answered: readonly string[]): boolean {
  return asks.some(({ id }) => answered.includes(id)) || marks.some((mark) => answered.includes(mark));
}

/** The call that has not ended, if the log ends in one. */
export function openCallOf(log: readonly Envelope[]): Intent | undefined {
  const intent = log.findLast((envelope) => holds(envelope, "ToolCallRequested"));
  if (!holds(intent, "ToolCallRequested")) return undefined;
  const { kind } = recordedCall((seq) => log[seq], intent.seq);
  return kind === "open" || kind === "suspended" ? intent : undefined;
}

/** Where what follows a turn goes: behind its calls. */
export function endOfTurn(log: readonly Envelope[], turn: AgentTurn): number {
  return callsOf(log, turn).end;
}

/** The calls that are recorded behind a turn. */
export function callsOf(log: readonly Envelope[], { seq }: AgentTurn): TurnCalls {
  const calls: TurnCall[] = [];
  let end = seq + 2;
  for (;;) {
    const call = recordedCall((position) => log[position], end);
    if (call.kind === "settled") {
      calls.push({ intent: call.intent, isFailed: call.result.kind === "failure" });
      end = call.next;
    } else if (call.kind === "open" || call.kind === "suspended") {
      calls.push({ intent: call.intent, isFailed: false });
      return { calls, open: call.intent, end };
    } else if (call.kind === "other" && isObservation(call.envelope)) {
      end += 1;
    } else if (behindGivenUp(log, end) > end) {
      end = behindGivenUp(log, end);
    } else {
      return { calls, end };
    }
  }
}

function isObservation({ event: { kind } }: Envelope): boolean {
  return kind === "NowObserved" || kind === "RandomObserved";
}

/** Whether an ask is for a call: of the same tool, with the same input. */
export function isSameAsk(ask: TurnAsk, { tool, input }: Pick<ToolAsk, "tool" | "input">): boolean {
  return ask.tool === tool && ask.input !== undefined && jsonEqual(ask.input, input);
}

/**
 * The refusal of an ask when it cannot be told which call it is.
 *
 * @param recorded the call that may be it.
 */
export function unclear({ id, tool, input }: TurnAsk, why: string, recorded?: Intent): DivergenceError {
  return new DivergenceError(
    `the call ${id} of ${tool} was not performed, because it cannot be told which call it is: ${why}`,
    { code: "divergence" },
    { position: recorded?.seq, recorded: recorded?.event, asked: { id, tool, input } },
  );
}
