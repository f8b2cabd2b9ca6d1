import type { RunEvent } from "../../log/events.js";
import type { Recorder, RunDesk } from "../../runtime/recorder.js";
import { claiming, releasing } from "../../store/append-unit.js";
import { Conflict } from "../../store/errors.js";
import type { AppendUnit, CallHolder } from "../../store/event-store.js";
import { endOf, openingInput, PROGRAM, RUN_EVENTS, viewOf, type Opening, type RunView } from "./run-view.js";

/** The runs of an MCP server: each holds one call, from the request on until its answer has left. */
export class RunBook {
  constructor(private readonly recorder: Recorder) {}

  async view(run: string): Promise<RunView> {
    const { store } = this.recorder;
    const record = await store.readRun(run);
    if (record === undefined) return { kind: "none" };
    if (record.ownership !== undefined || record.erased) return { kind: "foreign" };
    const events = await store.readLog(run, 0, RUN_EVENTS);
    return viewOf(events, (await this.recorder.state(run)).status);
  }

  /**
   * Opens a run; nothing happens when it is open already.
   *
   * @returns the call that holds the identity already, if one does: nothing is recorded then.
   */
  open(run: string, opening: Opening): Promise<CallHolder | undefined> {
    const { identity } = opening;
    const payload = { agent_def_hash: PROGRAM, input: openingInput(opening) };
    const event: RunEvent = { kind: "RunStarted", payload };
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
      if (status.state !== "running") return;
      const view = viewOf(await desk.read(0, RUN_EVENTS), status);
      if (view.kind === "ours") await desk.append([endOf(view.call)], await letGo(desk, view.identity));
    });
  }
}

async function letGo(desk: RunDesk, identity: string | undefined): Promise<AppendUnit> {
  if (identity === undefined) return {};
  const holder = await desk.store.lookupCall(identity);
  return holder?.run_id === desk.run && !holder.settled ? releasing(identity) : {};
}
