import type { RunSummary } from "../../store/event-store.js";

/** A run that waits for a person, as somebody else is told of it: no input, output, key or label is in it. */
export interface Wait {
  readonly run: string;
  /** The position at which it waits: of the open call, or of what parked it. */
  readonly seq: number;
  readonly status: string;
  /** When its last event was recorded. */
  readonly since: string;
  readonly tool?: string;
  readonly effect?: string;
}

/** What is told of a run that waits. */
export function waitOf({ run, content, eventCount, lastRecordedAt: since }: RunSummary): Wait {
  const pending = content?.pending ?? null;
  return {
    run,
    seq: pending?.seq ?? Math.max(0, eventCount - 1),
    status: content?.status.state ?? "unreadable",
    since,
    ...(pending?.kind === "tool" && { tool: pending.tool, effect: pending.effect }),
  };
}
