import { CHAIN_START } from "../log/chain.js";
import { applyEvent, NOT_STARTED, type RunState } from "../log/fold.js";
import { holds, type Envelope } from "../log/events.js";
import { jsonEqual } from "../log/json-equal.js";
import { KEPT_REPORTS, type RefusedReport, type RunOwnership } from "./event-store.js";
import type { LoggedEvent, StoredEvent } from "./stored-event.js";

/** What a journal line says: one durable change of one run. */
export type Change =
  | AppendChange
  | { readonly kind: "open"; readonly run: string; readonly lease: string; readonly ownership: RunOwnership }
  | { readonly kind: "refusal"; readonly run: string; readonly report: RefusedReport }
  | { readonly kind: "erase"; readonly run: string };

/** Events, and what becomes of identities with them: said as the outcome, so that applying it needs nothing else. */
export interface AppendChange {
  readonly kind: "append";
  readonly run: string;
  readonly held: readonly HeldIdentity[];
  readonly freed: readonly string[];
  readonly events: readonly LoggedEvent[];
}

/** An identity, and the call of the run that holds it. */
export interface HeldIdentity {
  readonly identity: string;
  readonly seq: number;
  readonly settled: boolean;
}

/** What a store knows of a run without its events. Never changed, only replaced. */
export interface RunView {
  readonly run: string;
  readonly state: RunState;
  /** The hash of the last event. */
  readonly tip: string;
  readonly firstRecordedAt: string;
  readonly lastRecordedAt: string;
  readonly agentDefHash: string;
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Whether a client performs the last intent. */
  readonly lastIntentByClient: boolean;
  readonly ownership: RunOwnership | undefined;
  readonly lease: string | undefined;
  readonly refused: readonly RefusedReport[];
  readonly erased: boolean;
}

/** A run that nothing was recorded of. */
export function unknownRun(run: string): RunView {
  return {
    run,
    state: NOT_STARTED,
    tip: CHAIN_START,
    firstRecordedAt: "",
    lastRecordedAt: "",
    agentDefHash: "",
    labels: undefined,
    lastIntentByClient: false,
    ownership: undefined,
    lease: undefined,
    refused: [],
    erased: false,
  };
}

/** The view after one more change. Total: what may happen was judged before it was written. */
export function applyChange(view: RunView, change: Change): RunView {
  switch (change.kind) {
    case "append":
      return applyEvents(view, change.events);
    case "open":
      return { ...view, lease: change.lease, ownership: view.ownership ?? change.ownership };
    case "refusal":
      return { ...view, refused: keepReport(view.refused, change.report) };
    case "erase":
      return { ...unknownRun(view.run), tip: view.tip, erased: true };
  }
}

/** The view after more events. */
export function applyEvents(view: RunView, events: readonly StoredEvent[]): RunView {
  return events.reduce(applyStored, view);
}

function applyStored(view: RunView, { hash, envelope }: StoredEvent): RunView {
  const { recorded_at: at } = envelope;
  const start = holds(envelope, "RunStarted") ? envelope.event.payload : undefined;
  // Member by member: every append makes one, and a spread takes many times as long.
  return {
    run: view.run,
    state: applyEvent(view.state, envelope),
    tip: hash,
    firstRecordedAt: view.state.nextSeq === 0 ? at : view.firstRecordedAt,
    lastRecordedAt: at,
    agentDefHash: start?.agent_def_hash ?? view.agentDefHash,
    labels: start?.labels ?? view.labels,
    lastIntentByClient: isIntent(envelope) ? performer(envelope) === "client" : view.lastIntentByClient,
    ownership: view.ownership,
    lease: view.lease,
    refused: view.refused,
    erased: view.erased,
  };
}

function isIntent({ event }: Envelope): boolean {
  return event.kind === "ToolCallRequested" || event.kind === "ModelCallRequested";
}

function performer({ event }: Envelope): unknown {
  return "performed_by" in event.payload ? event.payload.performed_by : undefined;
}

/** A report that says again what one has said before takes its place: repeating it pushes no other out. */
function keepReport(kept: readonly RefusedReport[], report: RefusedReport): readonly RefusedReport[] {
  const all = [...kept.filter((each) => !saysTheSame(each, report)), report];
  const same = all.filter(({ seq }) => seq === report.seq);
  const dropped = same.length > KEPT_REPORTS ? same[0] : undefined;
  return all.filter((each) => each !== dropped);
}

function saysTheSame(before: RefusedReport, after: RefusedReport): boolean {
  return jsonEqual({ ...before, time: after.time }, { ...after });
}
