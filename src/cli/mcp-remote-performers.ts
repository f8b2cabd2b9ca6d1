import { ClientRun } from "../client/client-run.js";
import type { DeclaredClientTool, HostedTool } from "../client/answers.js";
import type { SalvorClient } from "../client/salvor-client.js";
import type { DynTool } from "../contract/dyn-tool.js";
import { QUIET_LOG } from "../contract/quiet-log.js";
import type { ToolLog, ToolLogDetails } from "../contract/tool-handler.js";
import { descriptorOf, type ToolDescriptor } from "../contract/tool-set.js";
import { envelopeOf } from "../log/events.js";
import { CALL_SEQ, openingInput, PROGRAM, type Opening } from "../mcp/server/run-view.js";
import type { AskedCall } from "../mcp/server/served-tools.js";

/** A tool of another server, and how its calls are performed there. What comes of one is read from its log. */
export interface RemoteTool {
  readonly descriptor: ToolDescriptor;
  /** The members of the input that identify a call there, if the operator said any. */
  readonly keyFields: readonly string[] | undefined;
  /** Judges an input, and an output. */
  readonly tool: Pick<DynTool, "name" | "inputSchema" | "outputSchema" | "judgeInput" | "judgeOutput">;
  /** Has a call performed in a run, which is opened for it unless `opening` is absent. */
  perform(run: string, opening: RemoteOpening | undefined, asked: AskedCall): Promise<unknown>;
}

export interface RemoteOpening extends Opening {
  readonly labels: Readonly<Record<string, string>>;
}

/** A declared client tool: this process performs it, under the declaration of the server that records it. */
export function declaredTool(client: SalvorClient, tool: DynTool, declared: DeclaredClientTool): RemoteTool {
  const descriptor = descriptorOf(tool);
  const only = {
    get: (name: string) => (name === tool.name ? tool : undefined),
    names: () => [tool.name],
    descriptors: () => [descriptor],
  };
  return {
    descriptor: { ...descriptor, effect: declared.effect },
    keyFields: declared.idempotency_key,
    tool,
    async perform(runId, opening, asked) {
      const start = opening && {
        agentDefHash: PROGRAM,
        input: openingInput(opening),
        labels: opening.labels,
      };
      const run = await ClientRun.open(client, only, { runId, ...start, log: heard(asked) });
      return run.perform(tool.name, asked.input, { signal: asked.signal });
    },
  };
}

/** A tool that the other server performs itself. */
export function hostedTool(client: SalvorClient, published: HostedTool): RemoteTool {
  const { name, description, effect, input_schema: inputSchema, output_schema: outputSchema } = published;
  const schemas = { inputSchema, ...(outputSchema !== undefined && { outputSchema }) };
  return {
    descriptor: { name, description, effect, ...schemas },
    keyFields: undefined,
    tool: { name, ...schemas },
    async perform(runId, opening, { tool, input, key: idempotencyKey, signal }) {
      const { drive_token: driveToken, log } = await client.openRun({ runId });
      const drive = { run: runId, driveToken };
      if (log.length === 0 && opening !== undefined) {
        const payload = { agent_def_hash: PROGRAM, input: openingInput(opening), labels: opening.labels };
        const started = envelopeOf(runId, 0, new Date().toISOString(), { kind: "RunStarted", payload });
        await client.appendEvents(drive, [started]);
      }
      return client.toolStep(drive, { seq: CALL_SEQ, tool, input, idempotencyKey }, { signal });
    },
  };
}

/** A log whose lines are told as progress. */
function heard({ onProgress }: AskedCall): ToolLog {
  if (onProgress === undefined) return QUIET_LOG;
  const line = (message: string, { progress, total }: ToolLogDetails = {}): void => {
    onProgress({
      message,
      ...(typeof progress === "number" && Number.isFinite(progress) && { progress }),
      ...(typeof total === "number" && Number.isFinite(total) && { total }),
    });
  };
  return { ...QUIET_LOG, info: line, warn: line, error: line };
}
