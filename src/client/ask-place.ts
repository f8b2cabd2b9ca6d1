import type { Envelope } from "../log/events.js";
import type { Intent } from "../log/recorded-call.js";
import {
  callsOf,
  isSameAsk,
  unclear,
  type AgentTurn,
  type ToolAsk,
  type TurnAsk,
  type TurnCall,
} from "./agent-turns.js";
import type { KnownAsks } from "./known-asks.js";

/**
 * An ask as a loop holds it now: with the input that a person edited or a program repaired, and with what the loop would tell the
 * model of it that is not its call's output.
 */
export interface CarriedAsk extends TurnAsk {
  /**
   * A denial: nobody was to perform it. An error: it did not end, failed, or was refused. Words: they may be its call's output, or be put in
   * its place. None of them, when it is to be performed or its output is told.
   */
  readonly told?: "denial" | "error" | "words" | undefined;
}

/** An ask as far as a loop holds it: the recorded answer has the rest. */
export interface HeldAsk extends Pick<CarriedAsk, "id" | "input" | "told"> {
  readonly tool?: string | undefined;
}

/** Where a call of a turn is recorded or goes; or the call that has to end before it. */
export type Place = { readonly at: number } | { readonly behind: Intent };

/** What an ask is looked for in. */
export interface AskScene {
  readonly log: readonly Envelope[];
  readonly turn: AgentTurn;
  readonly known: KnownAsks;
  /** The names of the tools that calls are recorded of. */
  readonly tools: ReadonlySet<string>;
  /** The asks of the turn as the loop holds them, where it says so. */
  readonly carried?: readonly HeldAsk[] | undefined;
  /** Whether those are all that the loop holds: what is not among them was taken out, and counts as declined. */
  readonly isWhole?: boolean;
}

/** The calls and asks of a turn that do not belong to each other for certain. */
interface Unmatched {
  readonly calls: readonly TurnCall[];
  readonly asks: readonly CarriedAsk[];
  readonly tools: ReadonlySet<string>;
}

/**
 * Finds the recorded call that an ask of a turn is. The log knows no ids of asks, so a call that another process performed is known
 * by its tool and its input. Of asks for the same, each has a call of its own, as far as there are calls: those that were told an error
 * have the failed ones; of the others those come first that are to be performed, in their order, and last those that were declined.
 *
 * @throws {@link DivergenceError} when more calls for the same are recorded than are asked for.
 */
export function callOfAsk(scene: AskScene, ask: CarriedAsk): Intent | undefined {
  const { calls } = callsOf(scene.log, scene.turn);
  const own = calls.find(({ intent }) => scene.known.idAt(intent.seq) === ask.id);
  return (own ?? matched(unmatched(scene), ask))?.intent;
}

/**
 * Finds where the call of an ask is recorded, or goes.
 *
 * @throws {@link DivergenceError} when it cannot be told whether the call is recorded: an ask for the same before it has not
 *   been made, or a call is recorded that may be this one with another input.
 */
export function placeOf(scene: AskScene, ask: ToolAsk): Place {
  const recorded = callOfAsk(scene, ask);
  if (recorded !== undefined) return { at: recorded.seq };
  const left = unmatched(scene);
  const same = left.calls.filter(({ intent }) => isSameAsk(ask, intent.event.payload));
  if (same.length < sameBefore(left.asks, ask))
    throw unclear(ask, "an ask for the same before it has not been made; make that one first");
  const stray = strayOf(left, ask);
  if (stray !== undefined) throw unclear(ask, `call ${stray.seq} may be it, with another input`, stray);
  const { open, end } = callsOf(scene.log, scene.turn);
  return open === undefined ? { at: end } : { behind: open };
}

/** Which asks of a turn are neither recorded, as far as their number tells, nor known to come to nothing. */
export function openAsks(scene: AskScene): readonly TurnAsk[] {
  const { calls, asks, tools } = unmatched(scene);
  return asks.filter(({ tool, told }) => tools.has(tool) && told !== "denial").slice(calls.length);
}

function unmatched({ log, turn, known, tools, carried = [], isWhole = false }: AskScene): Unmatched {
  const { calls } = callsOf(log, turn);
  const taken = new Set(calls.map(({ intent }) => known.idAt(intent.seq)));
  const placeOfAsk = ({ id }: TurnAsk) => carried.findIndex((held) => held.id === id);
  const asks = turn.asks
    .filter(({ id }) => !taken.has(id))
    .map((ask): CarriedAsk => {
      const isOut = isWhole && placeOfAsk(ask) < 0;
      const isDeclined = isOut || known.isRefused(turn.seq, ask.id);
      return { ...asHeld(ask, carried), ...(isDeclined && { told: "denial" as const }) };
    });
  return {
    calls: calls.filter(({ intent }) => known.idAt(intent.seq) === undefined),
    // A loop makes them in the order in which it holds them.
    asks: isWhole ? asks.toSorted((a, b) => placeOfAsk(a) - placeOfAsk(b)) : asks,
    tools,
  };
}

/** An ask of a turn as a loop holds it, as far as it does. */
export function asHeld(ask: TurnAsk, carried: readonly HeldAsk[]): CarriedAsk {
  const { tool = ask.tool, input = ask.input, told } = carried.find(({ id }) => id === ask.id) ?? {};
  return { id: ask.id, tool, input, told };
}

function matched(left: Unmatched, ask: CarriedAsk): TurnCall | undefined {
  const { tool, input } = ask;
  if (input === undefined) return undefined;
  const { calls } = left;
  const same = calls.filter(({ intent }) => isSameAsk(ask, intent.event.payload));
  const alike = alikeIn(left, ask, { tool, input }, same.length);
  const surplus = same[alike.length]?.intent;
  if (surplus !== undefined)
    throw unclear(ask, `call ${surplus.seq} is one for the same more than the model asked for`, surplus);
  const failed = same.filter(({ isFailed }) => isFailed);
  const hearers = alike.filter(({ told }) => told === "error").slice(0, failed.length);
  const heard = hearers.indexOf(ask);
  if (heard >= 0) return failed[heard];
  const rest = same.filter((call) => !failed.slice(0, hearers.length).includes(call));
  const others = alike.filter((other) => !hearers.includes(other));
  const owners = others.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, rest.length);
  return rest[others.filter((other) => owners.includes(other)).indexOf(ask)];
}

/**
 * The asks for the same: where more calls are recorded than those would come to, also the first of those that had to be repaired, as
 * nobody could read their input or there is no such tool.
 */
function alikeIn(
  { asks, tools }: Unmatched,
  ask: CarriedAsk,
  what: Pick<ToolAsk, "tool" | "input">,
  recorded: number,
): readonly CarriedAsk[] {
  const all = asks.map((other) => (other.id === ask.id ? ask : other));
  const plain = all.filter((other) => isSameAsk(other, what));
  const repaired = all
    .filter(({ tool, input }) => (tool === what.tool ? input === undefined : !tools.has(tool)))
    .slice(0, Math.max(recorded - plain.length, 0));
  return all.filter((other) => plain.includes(other) || repaired.includes(other));
}

function rankOf({ told }: CarriedAsk): number {
  if (told === "denial") return 2;
  return told === "error" ? 1 : 0;
}

function sameBefore(asks: readonly CarriedAsk[], ask: ToolAsk): number {
  const place = asks.findIndex(({ id }) => id === ask.id);
  return asks.slice(0, place).filter((other) => rankOf(other) === 0 && isSameAsk(other, ask)).length;
}

/** A recorded call of an ask's tool that is no other ask's: it may be this one's, with another input. */
function strayOf({ calls, asks }: Unmatched, ask: ToolAsk): Intent | undefined {
  const left = asks.filter(({ id, tool }) => id !== ask.id && tool === ask.tool);
  const strays = calls.filter(({ intent }) => {
    const { payload } = intent.event;
    if (payload.tool !== ask.tool || isSameAsk(ask, payload)) return false;
    const owner = left.findIndex((other) => isSameAsk(other, payload));
    if (owner >= 0) left.splice(owner, 1);
    return owner < 0;
  });
  // Any of them may be an ask whose input nobody could read until it was repaired.
  return strays[left.filter(({ input }) => input === undefined).length]?.intent;
}
