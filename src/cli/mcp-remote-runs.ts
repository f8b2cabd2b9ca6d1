import type { SalvorClient } from "../client/salvor-client.js";
import { UnknownRunError, WrongStateError } from "../client/wire-errors.js";
import { ownValue, type JsonValue } from "../contract/json.js";
import { envelopeOf } from "../log/events.js";
import { fold } from "../log/fold.js";
import { endOf, viewOf, type RunView } from "../mcp/server/run-view.js";

/** The label by which the run of a call is found again that has no name. */
export const CALL_LABEL = "mcp_call";

/** The runs of an MCP server that are recorded at another salvor server. */
export class RemoteRuns {
  constructor(private readonly client: SalvorClient) {}

  async view(run: string): Promise<RunView> {
    try {
      const log = await this.client.log(run);
      return viewOf(log, fold(log).status);
    } catch (error) {
      if (error instanceof UnknownRunError) return { kind: "none" };
      throw error;
    }
  }

  /** The runs that have not ended and carry a label, oldest first. */
  async labelled(label: string): Promise<readonly string[]> {
    const groups = ["progress", "waiting"] as const;
    const pages = await Promise.all(groups.map((group) => this.client.runs({ group })));
    return pages
      .flatMap(({ runs }) => runs)
      .filter(({ labels = {} }) => ownValue(labels, CALL_LABEL) === label)
      .map(({ run }) => run);
  }

  /** Whether somebody drives a run, or did just now. */
  async isDriven(run: string): Promise<boolean> {
    return (await this.client.run(run)).driver === "attached";
  }

  /** Answers the suspension at `seq`; nothing happens when somebody else was faster. */
  async answer(run: string, seq: number, input: JsonValue): Promise<void> {
    try {
      await this.client.resume(run, { seq, input });
    } catch (error) {
      if (!(error instanceof WrongStateError)) throw error;
    }
  }

  /** Ends a run whose call has an end, or never began. */
  async end(run: string): Promise<void> {
    const { drive_token: driveToken, log } = await this.client.openRun({ runId: run });
    const { status, nextSeq } = fold(log);
    const view = viewOf(log, status);
    if (view.kind !== "ours" || status.state !== "running") return;
    const end = envelopeOf(run, nextSeq, new Date().toISOString(), endOf(view.call));
    await this.client.appendEvents({ run, driveToken }, [end]);
  }
}
