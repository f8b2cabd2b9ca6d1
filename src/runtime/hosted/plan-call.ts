import type { DynTool } from "../../contract/dyn-tool.js";
import { MissingIdempotencyKey } from "../../contract/tool-errors.js";
import { envelopeOf, type EventOf } from "../../log/events.js";
import { judgeAppend } from "../../log/guard.js";
import type { Intent } from "../../log/recorded-call.js";
import { identityOf, type CallIdentity } from "../call-identity.js";
import { Divergence } from "../divergence.js";
import { answeredElsewhere, copyAnswer } from "../open-call.js";
import type { RunDesk } from "../recorder.js";
import { requireGivenAnswer } from "./carried-answer.js";
import type { PlacedCall } from "./found-call.js";

/** A call that a server is asked to perform. */
export interface HostedCall extends PlacedCall {
  /** What the caller would like its key to be: recorded when the tool declares none, and never an identity. */
  readonly idempotencyKey?: string | undefined;
  /**
   * Gives the call up. One that has not begun is not recorded; a `read` or an `idempotent` call stays open and is performed
   * again when it is asked for again; a `write` that had begun is recorded when it ends, and is unknown until then.
   */
  readonly signal?: AbortSignal | undefined;
}

/** A call that may be performed once it is somebody's turn to. */
export interface OpenPlan {
  readonly asked: HostedCall;
  readonly tool: DynTool;
  /** To be recorded first when the call is new, else what is recorded. */
  readonly intent: EventOf<"ToolCallRequested">;
  readonly identity: CallIdentity;
  readonly isNew: boolean;
}

/**
 * Judges a call that is not recorded yet, and whose input its tool accepts.
 *
 * @returns `undefined` when another call's answer was copied, so that nothing is to be performed.
 * @throws {@link MissingIdempotencyKey}, {@link Divergence}, `CallInFlight`, `IdempotencyKeyCollision`; nothing is recorded.
 */
export async function planNew(
  desk: RunDesk,
  tool: DynTool,
  asked: HostedCall,
): Promise<OpenPlan | undefined> {
  const { seq, input } = asked;
  const identity = identityFor(tool, desk.run, asked);
  const intent: EventOf<"ToolCallRequested"> = {
    kind: "ToolCallRequested",
    payload: { seq, tool: tool.name, input, effect: tool.effect, idempotency_key: identity.key },
  };
  const refusal = judgeAppend(desk.run, desk.state, envelopeOf(desk.run, seq, desk.stamp(), intent));
  if (refusal !== null) throw Divergence.ofRefusal(refusal);
  await requireGivenAnswer(desk, tool, asked);
  if (identity.exclusive) {
    const settled = await answeredElsewhere(desk, seq, identity.key, asked);
    if (settled !== undefined) {
      await copyAnswer(desk, [intent], seq, settled);
      return undefined;
    }
  }
  return { asked, tool, intent, identity, isNew: true };
}

/**
 * Judges a `read` or an `idempotent` call whose intent is recorded and whose end is not: it is performed again.
 *
 * @returns `undefined` when another call's answer was copied.
 * @throws {@link Divergence} when its tool has another effect now.
 */
export async function planAgain(
  desk: RunDesk,
  tool: DynTool,
  asked: HostedCall,
  { event: intent }: Intent,
): Promise<OpenPlan | undefined> {
  const { seq, effect, idempotency_key: key } = intent.payload;
  if (effect !== tool.effect) {
    throw new Divergence(
      `the call of ${tool.name} at seq ${seq} of run ${desk.run} was opened as ${effect}, and the tool is ${tool.effect} now: ` +
        "it is not performed again",
    );
  }
  if (key !== null && isIdentity(tool, desk.run, asked, key)) {
    const settled = await answeredElsewhere(desk, seq, key, asked);
    if (settled !== undefined) {
      await copyAnswer(desk, [], seq, settled);
      return undefined;
    }
  }
  return { asked, tool, intent, identity: { key: key ?? "", exclusive: false }, isNew: false };
}

/** The key that the tool declares wins; a caller's own names nothing but this call. */
function identityFor(tool: DynTool, run: string, asked: HostedCall): CallIdentity {
  const { seq, input, idempotencyKey } = asked;
  if (tool.idempotencyKey === undefined && idempotencyKey !== undefined) {
    return { key: idempotencyKey, exclusive: false };
  }
  return identityOf(tool, run, seq, input);
}

/** Whether a recorded key is the one that the tool declares: a caller's own may look like anybody's. */
function isIdentity(tool: DynTool, run: string, { seq, input }: HostedCall, key: string): boolean {
  try {
    const identity = identityOf(tool, run, seq, input);
    return identity.exclusive && identity.key === key;
  } catch (error) {
    if (error instanceof MissingIdempotencyKey) return false;
    throw error;
  }
}
