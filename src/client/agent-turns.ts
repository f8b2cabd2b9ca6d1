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

/** Reads which calls of tools a recorded answer of a model asks for, in its order. */
export type AsksOf = (response: JsonValue) => readonly ToolAsk[];

/** A recorded answer of a model, and what it asks for. */
export interface AgentTurn {
  /** The position of the model call. */
  readonly seq: number;
  readonly asks: readonly ToolAsk[];
}

/** The calls that are recorded behind a model's answer, up to what is no call. */
interface TurnCalls {
  readonly intents: readonly Intent[];
  /** The last of them, when it has not ended. */
  readonly open?: Intent;
  /** Where the next one goes. */
  readonly end: number;
}

/** Where a call of a turn is recorded or goes; or the call that has to end before it. */
export type Place = { readonly at: number } | { readonly behind: Intent };

/** The answers of a model in a part of a log. */
export function turnsOf(log: readonly Envelope[], asksOf: AsksOf): readonly AgentTurn[] {
  return log.flatMap((envelope) => {
    if (!holds(envelope, "ModelCallCompleted") || isGivenUp(envelope)) return [];
    const { seq, response } = envelope.event.payload;
    return [{ seq, asks: asksOf(response) }];
  });
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

/** What a process knows of the asks that it was handed. */
export interface KnownAsks {
  /** Which ask each recorded call is, where this process performed or answered it. */
  readonly idAt: (seq: number) => string | undefined;
  /** Whether an ask was refused before anything of it was recorded. */
  readonly isRefused: (id: string) => boolean;
}

/**
 * Finds the call that an ask of a turn is. The log knows no ids of asks, so a call that another process performed is known by its
 * tool and its input; of asks for the same in one turn, the first is the first of such calls that is recorded, and so on.
 *
 * @throws {@link DivergenceError} when it cannot be told whether the call is recorded: an ask for the same before it has not
 *   been made, or a call is recorded that may be this one with another input.
 */
export function placeOf(log: readonly Envelope[], turn: AgentTurn, ask: ToolAsk, known: KnownAsks): Place {
  const { intents, open, end } = callsOf(log, turn);
  const own = intents.find(({ seq }) => known.idAt(seq) === ask.id);
  if (own !== undefined) return { at: own.seq };
  const unknown = intents.filter(({ seq }) => known.idAt(seq) === undefined);
  const taken = new Set(intents.map(({ seq }) => known.idAt(seq)));
  const others = turn.asks.filter(({ id }) => id !== ask.id && !taken.has(id) && !known.isRefused(id));
  const place = turn.asks.findIndex(({ id }) => id === ask.id);
  const before = turn.asks
    .slice(0, place)
    .filter((other) => others.includes(other) && isSameAsk(other, ask)).length;
  const same = unknown.filter(({ event }) => isSameAsk(event.payload, ask));
  const recorded = same[before];
  if (recorded !== undefined) return { at: recorded.seq };
  if (same.length < before) {
    throw differs(end, ask, "an ask for the same before it has not been made; make that one first");
  }
  const stray = unknown.find(
    ({ event: { payload } }) =>
      payload.tool === ask.tool &&
      !isSameAsk(payload, ask) &&
      !others.some((other) => isSameAsk(other, payload)),
  );
  if (stray !== undefined) {
    throw differs(stray.seq, ask, `call ${stray.seq} may be it, with another input`, stray);
  }
  return open === undefined ? { at: end } : { behind: open };
}

function callsOf(log: readonly Envelope[], { seq }: AgentTurn): TurnCalls {
  const intents: Intent[] = [];
  let end = seq + 2;
  for (;;) {
    const call = recordedCall((position) => log[position], end);
    if (call.kind === "settled") {
      intents.push(call.intent);
      end = call.next;
    } else if (call.kind === "open" || call.kind === "suspended") {
      intents.push(call.intent);
      return { intents, open: call.intent, end };
    } else if (call.kind === "other" && isObservation(call.envelope)) {
      end += 1;
    } else if (behindGivenUp(log, end) > end) {
      end = behindGivenUp(log, end);
    } else {
      return { intents, end };
    }
  }
}

function isObservation({ event: { kind } }: Envelope): boolean {
  return kind === "NowObserved" || kind === "RandomObserved";
}

export function isSameAsk(a: Pick<ToolAsk, "tool" | "input">, b: Pick<ToolAsk, "tool" | "input">): boolean {
  return a.tool === b.tool && jsonEqual(a.input, b.input);
}

function differs(position: number, ask: ToolAsk, why: string, recorded?: Intent): DivergenceError {
  return new DivergenceError(
    `the call ${ask.id} of ${ask.tool} was not performed, because it cannot be told whether it was performed before: ${why}`,
    { code: "divergence" },
    { position, recorded: recorded?.event, asked: ask },
  );
}

/** The refusal of an ask when it cannot be told which call it is. */
export function unclear(ask: ToolAsk, why: string): DivergenceError {
  return new DivergenceError(
    `the call ${ask.id} of ${ask.tool} was not performed, because it cannot be told which call it is: ${why}`,
    { code: "divergence" },
    { asked: ask },
  );
}
