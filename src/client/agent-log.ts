import { holds, type Envelope } from "../log/events.js";
import { isSameAsk, turnsOf, unclear, type AgentTurn, type AsksOf, type ToolAsk } from "./agent-turns.js";
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
    private readonly asksOf: AsksOf,
  ) {}

  get events(): readonly Envelope[] {
    return this.#events;
  }

  /** Reads what was recorded since. */
  async refresh({ signal }: CallOptions): Promise<void> {
    const fresh = await this.client.log(this.runId, this.#events.length, { signal });
    this.#events.push(...fresh);
    this.#turns.push(...turnsOf(fresh, this.asksOf));
    for (const envelope of fresh) this.#noteRequest(envelope);
  }

  /** Where a model call with a request is recorded, unless it was given up. */
  requestAt(hash: string): number | undefined {
    return this.#requests.get(hash);
  }

  /** The last turn that has an ask with one of these ids. */
  lastTurnWith(ids: readonly string[]): AgentTurn | undefined {
    return this.#turns.findLast((turn) => hasAsk(turn, ids));
  }

  /**
   * The turn that an ask is part of. Models that number their asks anew in each answer repeat ids: then it is the turn of the answer that
   * was given last, or the only one, that asks for the same under that id.
   *
   * @param given the turn of the model's answer that this instance gave last.
   * @throws {@link DivergenceError} when several turns have an ask with that id, and it cannot be told which one this is.
   */
  turnOfAsk(ask: ToolAsk, given: AgentTurn | undefined): AgentTurn | undefined {
    const turns = this.#turns.filter((turn) => hasAsk(turn, [ask.id]));
    if (turns.length <= 1) return turns[0];
    const same = turns.filter(({ asks }) => asks.some((own) => own.id === ask.id && isSameAsk(own, ask)));
    const turn = same.find(({ seq }) => seq === given?.seq) ?? (same.length === 1 ? same[0] : undefined);
    if (turn !== undefined) return turn;
    const of = turns.map(({ seq }) => seq).join(", ");
    throw unclear(
      ask,
      `the answers at ${of} have asks with that id; ask the model first, which answers from the log`,
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

export function hasAsk({ asks }: AgentTurn, ids: readonly string[]): boolean {
  return asks.some(({ id }) => ids.includes(id));
}
