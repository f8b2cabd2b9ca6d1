import type { DynTool } from "../contract/dyn-tool.js";
import { isFailureOutput } from "../contract/reserved.js";
import type { EventOf, RunEvent } from "../log/events.js";
import { attemptKey } from "../log/keys.js";
import type { CallResult, Intent } from "../log/recorded-call.js";
import { claiming } from "../store/append-unit.js";
import { Conflict } from "../store/errors.js";
import type { CallHolder } from "../store/event-store.js";
import { NeedsReconciliation, type CallName } from "./call-errors.js";
import { answerOf, identityOf, type SettledElsewhere } from "./call-identity.js";
import { Divergence } from "./divergence.js";
import type { RunDesk } from "./recorder.js";
import type { AskedCall, FoundCall, Replay } from "./replay.js";
import { RunSuspended } from "./run-errors.js";

/** What is to be done about a call: hand it to its tool, or answer what is recorded and go on at `next`. */
export type Step =
  | { readonly kind: "perform"; readonly call: CallName }
  | { readonly kind: "ended"; readonly seq: number; readonly result: CallResult; readonly next: number };

/** Decides about a call before its effect, and has its intent durable when it may happen. */
export class IntentDesk {
  constructor(private readonly replay: Replay) {}

  async open(desk: RunDesk, tool: DynTool, asked: AskedCall): Promise<Step> {
    const found = await this.replay.findCall(desk, asked);
    switch (found.kind) {
      case "settled":
        return { kind: "ended", seq: found.intent.seq, result: found.result, next: found.next };
      case "suspended":
        throw await this.#suspended(desk, found);
      case "open":
        return this.#again(desk, tool, asked, found.intent);
      case "nothing":
        return this.#first(desk, tool, asked);
    }
  }

  /** A log that was cut between a suspended call and its suspension is made whole first. */
  async #suspended(
    desk: RunDesk,
    { intent, reason, inputSchema }: Extract<FoundCall, { readonly kind: "suspended" }>,
  ): Promise<RunSuspended> {
    const seq = intent.seq + 2;
    if (desk.state.nextSeq === seq) {
      await desk.append([{ kind: "Suspended", payload: { reason, input_schema: inputSchema } }]);
    }
    return new RunSuspended(this.replay.run, seq, reason, inputSchema);
  }

  /** The call was opened, and its end is not recorded: a crash, or a caller that gave up. */
  async #again(desk: RunDesk, tool: DynTool, asked: AskedCall, intent: Intent): Promise<Step> {
    const { seq, effect, idempotency_key: key, performed_by } = intent.event.payload;
    if (performed_by === "client") throw Divergence.ofReplay(intent, asked);
    if (effect === "write" && !this.replay.isUnhanded(asked)) {
      throw new NeedsReconciliation(this.replay.run, intent);
    }
    if (effect !== tool.effect) throw Divergence.ofReplay(intent, { ...asked, effect: tool.effect });
    if (effect !== "read" && key !== null && key !== attemptKey(this.replay.run, seq, tool.name)) {
      const holder = await desk.store.lookupCall(key);
      const isOwn = holder?.run_id === this.replay.run && holder.seq === seq;
      if (holder !== undefined && !isOwn) {
        return this.#copy(desk, [], seq, await answerOf(desk.store, holder, key, asked));
      }
    }
    return { kind: "perform", call: { tool: tool.name, seq, idempotencyKey: key } };
  }

  async #first(desk: RunDesk, tool: DynTool, asked: AskedCall): Promise<Step> {
    const seq = this.replay.position;
    const { key, exclusive } = identityOf(tool, this.replay.run, seq, asked.input);
    const intent: EventOf<"ToolCallRequested"> = {
      kind: "ToolCallRequested",
      payload: { seq, ...asked, effect: tool.effect, idempotency_key: key },
    };
    const call = { tool: tool.name, seq, idempotencyKey: key };
    if (!exclusive) await desk.append([intent], {}, seq);
    else {
      const holder = (await desk.store.lookupCall(key)) ?? (await claim(desk, intent, key));
      if (holder !== undefined) {
        return this.#copy(desk, [intent], seq, await answerOf(desk.store, holder, key, asked));
      }
    }
    this.replay.make(asked);
    return { kind: "perform", call };
  }

  async #copy(
    desk: RunDesk,
    intent: readonly RunEvent[],
    seq: number,
    { output, from }: SettledElsewhere,
  ): Promise<Step> {
    const copy: RunEvent = {
      kind: "ToolCallCompleted",
      payload: { seq, output, deduplicated_from: from },
    };
    await desk.append([...intent, copy]);
    const result: CallResult = isFailureOutput(output)
      ? { kind: "failure", failure: output.__salvor_error }
      : { kind: "output", output };
    return { kind: "ended", seq, result, next: seq + 2 };
  }
}

/** Opens a call under an identity; answers who holds it, when somebody was faster. */
async function claim(
  desk: RunDesk,
  intent: EventOf<"ToolCallRequested">,
  identity: string,
): Promise<CallHolder | undefined> {
  const { seq } = intent.payload;
  try {
    await desk.append([intent], claiming(identity, seq), seq);
    return undefined;
  } catch (error) {
    if (error instanceof Conflict && error.holder !== undefined) return error.holder;
    throw error;
  }
}
