import { isJsonObject, ownValue, type JsonValue } from "../../contract/json.js";
import { holds, type Envelope, type RunEvent } from "../../log/events.js";
import { isTerminal, type RunStatus } from "../../log/fold.js";
import { recordedCall, type RecordedCall } from "../../log/recorded-call.js";
import type { Recorder, RunDesk } from "../../runtime/recorder.js";
import { claiming, releasing } from "../../store/append-unit.js";
import { Conflict } from "../../store/errors.js";
import type { CallHolder } from "../../store/event-store.js";

/** What every run that an MCP server opens is started with: it holds one call, and this says how it is to be read. */
const PROGRAM = "salvor-mcp/1";

/** The position of the one call in its run. */
export const CALL_SEQ = 1;

/** A call, and what it did to the log, fill so many positions at most. */
const CALL_EVENTS = 4;

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
      /** What it holds while nobody has its answer. */
      readonly identity: string | undefined;
    };

/** The runs of an MCP server: each holds one call, from the request on until its answer has left. */
export class RunBook {
  constructor(private readonly recorder: Recorder) {}

  async view(run: string): Promise<RunView> {
    const { store } = this.recorder;
    const record = await store.readRun(run);
    if (record === undefined) return { kind: "none" };
    const [started, ...events] = await store.readLog(run, 0, CALL_SEQ + CALL_EVENTS);
    const isOurs = holds(started, "RunStarted") && started.event.payload.agent_def_hash === PROGRAM;
    if (!isOurs || record.ownership !== undefined || record.erased) return { kind: "foreign" };
    const { status } = await this.recorder.state(run);
    return { kind: "ours", status, call: callIn(events), identity: identityIn(started.event.payload.input) };
  }

  /**
   * Opens a run; nothing happens when it is open already.
   *
   * @returns the call that holds the identity already, if one does: nothing is recorded then.
   */
  open(run: string, { tool, name, client, identity }: Opening): Promise<CallHolder | undefined> {
    const input = {
      tool,
      ...(name !== undefined && { name }),
      ...(client !== undefined && { client }),
      ...(identity !== undefined && { identity }),
    };
    const event: RunEvent = { kind: "RunStarted", payload: { agent_def_hash: PROGRAM, input } };
    return this.recorder.within(run, undefined, async (desk) => {
      if (desk.state.nextSeq > 0) return undefined;
      try {
        await desk.append([event], identity === undefined ? {} : claiming(identity, 0));
        return undefined;
      } catch (error) {
        if (error instanceof Conflict && error.holder !== undefined) return error.holder;
        throw error;
      }
    });
  }

  /** Ends a run whose call has an end, and lets go of what it holds. Nothing happens while the call is open or waits. */
  async end(run: string): Promise<void> {
    await this.recorder.within(run, undefined, async (desk) => {
      const { status } = desk.state;
      if (isTerminal(status) || status.state !== "running") return;
      const [started, ...events] = await desk.read(0, CALL_SEQ + CALL_EVENTS);
      if (!holds(started, "RunStarted")) return;
      const identity = identityIn(started.event.payload.input);
      await desk.append([endOf(callIn(events))], await this.#letGo(desk, identity));
    });
  }

  async #letGo(desk: RunDesk, identity: string | undefined) {
    if (identity === undefined) return {};
    const holder = await desk.store.lookupCall(identity);
    return holder?.run_id === desk.run && !holder.settled ? releasing(identity) : {};
  }
}

/** What is recorded of the call, however its run ended. */
function callIn(events: readonly Envelope[]): RecordedCall {
  const ofCall = events.filter(({ event }) => !ENDS.has(event.kind));
  return recordedCall((seq) => ofCall[seq - CALL_SEQ], CALL_SEQ);
}

const ENDS: ReadonlySet<string> = new Set(["RunCompleted", "RunFailed", "RunAbandoned"]);

function endOf(call: RecordedCall): RunEvent {
  if (call.kind === "settled" && call.result.kind === "output") {
    // Which is at the position that it names: it is not kept twice.
    return { kind: "RunCompleted", payload: { output: { answer_of: call.intent.seq } } };
  }
  const error = call.kind === "settled" && call.result.kind === "failure" ? call.result.failure.message : "";
  return { kind: "RunFailed", payload: { error: error || "the call was refused before it began" } };
}

function identityIn(input: JsonValue): string | undefined {
  const identity = isJsonObject(input) ? ownValue(input, "identity") : undefined;
  return typeof identity === "string" ? identity : undefined;
}
