import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../../contract/json.js";
import { holds, type Envelope, type RunEvent } from "../../log/events.js";
import type { RunStatus } from "../../log/fold.js";
import { recordedCall, type RecordedCall } from "../../log/recorded-call.js";

/** What every run that an MCP server opens is started with: it holds one call, and this says how it is to be read. */
export const PROGRAM = "salvor-mcp/1";

/** The position of the one call in its run. */
export const CALL_SEQ = 1;

/** What a run's start and its call, and what that did to the log, fill at most. */
export const RUN_EVENTS = CALL_SEQ + 4;

/** What a run is opened for. */
export interface Opening {
  readonly tool: string;
  readonly name?: string | undefined;
  readonly client?: string | undefined;
  /** What the run holds until its answer has reached somebody. */
  readonly identity?: string | undefined;
}

/** How a run looks that is to hold a call. */
export type RunView =
  | { readonly kind: "none" }
  /** It is not one that this server may go on with: a program's, an HTTP client's, or one whose content was erased. */
  | { readonly kind: "foreign" }
  | {
      readonly kind: "ours";
      readonly status: RunStatus;
      readonly call: RecordedCall;
      /** What was recorded as the end of the call, if anything was. */
      readonly completion: Envelope | undefined;
      /** What it holds while nobody has its answer. */
      readonly identity: string | undefined;
    };

/** @param events the run's, from its start, as far as its call. */
export function viewOf([started, ...events]: readonly Envelope[], status: RunStatus): RunView {
  if (started === undefined) return { kind: "none" };
  const isOurs = holds(started, "RunStarted") && started.event.payload.agent_def_hash === PROGRAM;
  if (!isOurs) return { kind: "foreign" };
  const [, completion] = events;
  const identity = identityIn(started.event.payload.input);
  return { kind: "ours", status, call: callIn(events), completion, identity };
}

/** What the start of a run says about it. */
export function openingInput({ tool, name, client, identity }: Opening): JsonObject {
  return {
    tool,
    ...(name !== undefined && { name }),
    ...(client !== undefined && { client }),
    ...(identity !== undefined && { identity }),
  };
}

/** The end of a run whose call has an end, or was refused before it began. */
export function endOf(call: RecordedCall): RunEvent {
  if (call.kind === "settled" && call.result.kind === "output") {
    // Which is at the position that it names: it is not kept twice.
    return { kind: "RunCompleted", payload: { output: { answer_of: call.intent.seq } } };
  }
  const error = call.kind === "settled" && call.result.kind === "failure" ? call.result.failure.message : "";
  return { kind: "RunFailed", payload: { error: error || "the call was refused before it began" } };
}

/** What is recorded of the call, however its run ended. */
function callIn(events: readonly Envelope[]): RecordedCall {
  const ofCall = events.filter(({ event }) => !ENDS.has(event.kind));
  return recordedCall((seq) => ofCall[seq - CALL_SEQ], CALL_SEQ);
}

const ENDS: ReadonlySet<string> = new Set(["RunCompleted", "RunFailed", "RunAbandoned"]);

function identityIn(input: JsonValue): string | undefined {
  const identity = isJsonObject(input) ? ownValue(input, "identity") : undefined;
  return typeof identity === "string" ? identity : undefined;
}
