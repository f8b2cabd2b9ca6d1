import type { Performance } from "../contract/perform-call.js";
import type { DynTool } from "../contract/dyn-tool.js";
import { holds, type RunEvent } from "../log/events.js";
import { isTerminal } from "../log/fold.js";
import { jsonEqual } from "../log/json-equal.js";
import { recordable, type Ending } from "./call-ending.js";
import type { CallName } from "./call-errors.js";
import { claimChange } from "./claims.js";
import { Divergence } from "./divergence.js";
import type { RunDesk } from "./recorder.js";

/** A tool whose outcomes can be recorded as they are: also one that nobody but itself has judged. */
export function recordableTool(tool: DynTool): Performance["tool"] {
  return {
    name: tool.name,
    ...(tool.timeoutMs !== undefined && { timeoutMs: tool.timeoutMs }),
    callJson: async (ctx, input) => recordable(tool.name, await tool.callJson(ctx, input)),
  };
}

/**
 * Records how a call ended, unless that is recorded already.
 *
 * @returns what says so when another end of it is recorded there; nothing is written then.
 */
export async function recordEnding(
  desk: RunDesk,
  call: CallName,
  ending: Ending,
): Promise<Divergence | undefined> {
  const { seq, idempotencyKey: key } = call;
  const { run } = desk;
  const { pending, status } = desk.state;
  // A run that was abandoned has its open call still pending, and takes nothing more.
  if (pending?.kind !== "tool" || pending.seq !== seq || isTerminal(status)) {
    const [completion] = await desk.read(seq + 1, 1);
    const isSame =
      holds(completion, "ToolCallCompleted") && jsonEqual(completion.event.payload.output, ending.recorded);
    return isSame ? undefined : contradicted(run, call, ending);
  }
  const events: RunEvent[] = [
    { kind: "ToolCallCompleted", payload: { seq, output: ending.recorded } },
    ...(ending.kind === "suspended" ? [{ kind: "Suspended", payload: ending.suspension } as const] : []),
  ];
  await desk.append(events, await claimChange(desk.store, { run, seq, key }, ending.recorded));
  return undefined;
}

/** Somebody else has said how a call ended while its tool was working, and said something else. */
function contradicted(run: string, { tool, seq, idempotencyKey }: CallName, ending: Ending): Divergence {
  return new Divergence(
    `${tool} (call ${seq} of run ${run}, key ${String(idempotencyKey)}) ran, and meanwhile another end of it was recorded: ` +
      "tell whoever settled it what came of it",
    { position: seq + 1, asked: ending.recorded },
  );
}
