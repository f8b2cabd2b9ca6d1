import type { DynTool } from "../contract/dyn-tool.js";
import { isFailureOutput } from "../contract/reserved.js";
import type { EventOf } from "../log/events.js";
import { attemptKey } from "../log/keys.js";
import type { CallResult, Intent } from "../log/recorded-call.js";
import { NeedsReconciliation, type CallName } from "./call-errors.js";
import { identityOf, type SettledElsewhere } from "./call-identity.js";
import { Divergence } from "./divergence.js";
import { answeredElsewhere, completeSuspension, copyAnswer, openCall } from "./open-call.js";
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

  async #suspended(
    desk: RunDesk,
    found: Extract<FoundCall, { readonly kind: "suspended" }>,
  ): Promise<RunSuspended> {
    const { intent, reason, inputSchema } = found;
    await completeSuspension(desk, intent.seq, found);
    return new RunSuspended(this.replay.run, intent.seq + 2, reason, inputSchema);
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
      const settled = await answeredElsewhere(desk, seq, key, asked);
      if (settled !== undefined) {
        await copyAnswer(desk, [], seq, settled);
        return copied(seq, settled);
      }
    }
    return { kind: "perform", call: { tool: tool.name, seq, idempotencyKey: key } };
  }

  async #first(desk: RunDesk, tool: DynTool, asked: AskedCall): Promise<Step> {
    const seq = this.replay.position;
    const identity = identityOf(tool, this.replay.run, seq, asked.input);
    const { key } = identity;
    const intent: EventOf<"ToolCallRequested"> = {
      kind: "ToolCallRequested",
      payload: { seq, ...asked, effect: tool.effect, idempotency_key: key },
    };
    const settled = await openCall(desk, intent, identity);
    if (settled !== undefined) return copied(seq, settled);
    this.replay.make(asked);
    return { kind: "perform", call: { tool: tool.name, seq, idempotencyKey: key } };
  }
}

function copied(seq: number, { output }: SettledElsewhere): Step {
  const result: CallResult = isFailureOutput(output)
    ? { kind: "failure", failure: output.__salvor_error }
    : { kind: "output", output };
  return { kind: "ended", seq, result, next: seq + 2 };
}
