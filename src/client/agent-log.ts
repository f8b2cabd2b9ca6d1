import { holds, type Envelope } from "../log/events.js";
import {
  callsOf,
  isCarried,
  isSameAsk,
  turnsOf,
  unclear,
  type AgentTurn,
  type AnswerReaders,
  type ToolAsk,
  type TurnAsk,
} from "./agent-turns.js";
import type { HeldAsk } from "./ask-place.js";
import type { CallOptions } from "./client-options.js";
import { isGivenUp } from "./given-up.js";
import type { SalvorClient } from "./salvor-client.js";

/** What an agent knows to be recorded of its run, and what it finds things by. It only grows. */
export class AgentLog {
  readonly #events: Envelope[] = [];
  readonly #turns: AgentTurn[] = [];
  /** Where each request is recorded that is, by its hash. */
  readonly #requests = new Map<string, number>();

  constructor(
    private readonly client: SalvorClient,
    private readonly runId: string,
    private readonly read: AnswerReaders,
  ) {}

  get events(): readonly Envelope[] {
    return this.#events;
  }

  /** Reads what was recorded since. */
  async refresh({ signal }: CallOptions): Promise<void> {
    const fresh = await this.client.log(this.runId, this.#events.length, { signal });
    this.#events.push(...fresh);
    this.#turns.push(...turnsOf(fresh, this.read));
    for (const envelope of fresh) this.#noteRequest(envelope);
  }

  /** Where a model call with a request is recorded, unless it was given up. */
  requestAt(hash: string): number | undefined {
    return this.#requests.get(hash);
  }

  /**
   * The turn that a request carries the answers of: of the model's answer that this instance gave last, or else the last recorded one.
   *
   * @param answered ids of asks, and marks.
   * @param given the turn of the model's answer that this instance gave last.
   */
  turnCarried(answered: readonly string[], given: AgentTurn | undefined): AgentTurn | undefined {
    if (given !== undefined && isCarried(given, answered)) return given;
    return this.#turns.findLast((turn) => isCarried(turn, answered));
  }

  /** The turns whose asks a loop carries on, each behind the one before it. */
  turnsCarried(
    carried: readonly (readonly HeldAsk[])[],
    given: AgentTurn | undefined,
  ): readonly (AgentTurn | undefined)[] {
    let next: AgentTurn | undefined;
    const found = carried.toReversed().map((asks) => {
      const turn = this.#turnBefore(next, asks, given);
      next = turn ?? next;
      return turn;
    });
    return found.toReversed();
  }

  /** The last turn before another one with these asks: rather one that asks for just that, as others may have their ids. */
  #turnBefore(
    next: AgentTurn | undefined,
    carried: readonly HeldAsk[],
    given: AgentTurn | undefined,
  ): AgentTurn | undefined {
    const ids = carried.map(({ id }) => id);
    const turns = this.#turns.filter(
      (turn) => isCarried(turn, ids) && (next === undefined || turn.seq < next.seq),
    );
    const alike = turns.filter((turn) => carried.every((ask) => turn.asks.some((own) => mayBe(own, ask))));
    const likely = alike.length === 0 ? turns : alike;
    return likely.find(({ seq }) => seq === given?.seq) ?? likely.at(-1);
  }

  /**
   * The turn that an ask is part of. Models that number their asks anew in each answer repeat ids: then it is the turn of the answer that
   * was given last, or the only one, that asks for the same under that id.
   *
   * @param given the turn of the model's answer that this instance gave last.
   * @throws {@link DivergenceError} when several turns have an ask with that id, and it cannot be told which one this is.
   */
  turnOfAsk(ask: ToolAsk, given: AgentTurn | undefined): AgentTurn | undefined {
    const turns = this.#turns.filter(({ asks }) => asks.some(({ id }) => id === ask.id));
    if (turns.length <= 1) return turns[0];
    const likely = turns.filter((turn) => this.#mayHold(turn, ask));
    const current = turns.find(({ seq }) => seq === given?.seq);
    // With an input that no turn has, it was edited since the model answered.
    if (current !== undefined && (likely.length === 0 || likely.includes(current))) return current;
    if (current === undefined && likely.length === 1) return likely[0];
    const of = turns.map(({ seq }) => seq).join(", ");
    throw unclear(
      ask,
      `the answers at ${of} have asks with that id; ask the model first, which answers from the log`,
    );
  }

  /** Whether a turn asks for the same under that id, may have before its input was repaired, or has it recorded. */
  #mayHold(turn: AgentTurn, ask: ToolAsk): boolean {
    const { calls } = callsOf(this.#events, turn);
    return (
      turn.asks.some((own) => mayBe(own, ask)) ||
      calls.some(({ intent }) => isSameAsk(ask, intent.event.payload))
    );
  }

  #noteRequest(envelope: Envelope): void {
    if (holds(envelope, "ModelCallRequested")) {
      const { seq, request_hash: hash } = envelope.event.payload;
      if (!this.#requests.has(hash)) this.#requests.set(hash, seq);
    } else if (isGivenUp(envelope)) {
      const request = this.#events[envelope.seq - 1];
      if (holds(request, "ModelCallRequested")) this.#requests.delete(request.event.payload.request_hash);
    }
  }
}

/** Whether an ask of a recorded answer may be one that a loop holds: its input may have been repaired. */
function mayBe(own: TurnAsk, { id, tool = own.tool, input }: HeldAsk): boolean {
  if (own.id !== id || own.tool !== tool) return false;
  return own.input === undefined || input === undefined || isSameAsk(own, { tool, input });
}
