import type { DynTool } from "../../contract/dyn-tool.js";
import type { ToolCtx, ToolLog, ToolLogDetails } from "../../contract/tool-handler.js";
import type { RunTools } from "../../runtime/durable-run.js";
import type { CallProgress } from "./served-tools.js";

type Listener = (progress: CallProgress) => void;

/** The same tools, with what they say while they work told to whoever waits for the call. */
export class WatchedTools implements RunTools {
  readonly #tools: RunTools;
  readonly #watched = new Map<DynTool, DynTool>();
  readonly #listeners = new Map<string, Set<Listener>>();

  constructor(tools: RunTools) {
    this.#tools = tools;
  }

  get(name: string): DynTool | undefined {
    const tool = this.#tools.get(name);
    if (tool === undefined) return undefined;
    const known = this.#watched.get(tool) ?? this.#watch(tool);
    this.#watched.set(tool, known);
    return known;
  }

  names(): readonly string[] {
    return this.#tools.names();
  }

  /** Tells a listener what the calls of a run say from now on. Answers the way to stop. */
  listen(run: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(run) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(run, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(run) === listeners) this.#listeners.delete(run);
    };
  }

  #watch(tool: DynTool): DynTool {
    const { idempotencyKey, judgeInput, judgeOutput } = tool;
    return {
      name: tool.name,
      description: tool.description,
      effect: tool.effect,
      inputSchema: tool.inputSchema,
      ...(tool.outputSchema !== undefined && { outputSchema: tool.outputSchema }),
      ...(tool.timeoutMs !== undefined && { timeoutMs: tool.timeoutMs }),
      ...(idempotencyKey !== undefined && { idempotencyKey: idempotencyKey.bind(tool) }),
      ...(judgeInput !== undefined && { judgeInput }),
      ...(judgeOutput !== undefined && { judgeOutput }),
      callJson: (ctx, input) => tool.callJson({ ...ctx, log: this.#heard(ctx) }, input),
    };
  }

  #heard({ log, runId }: ToolCtx): ToolLog {
    const line =
      (level: "info" | "warn" | "error") =>
      (message: string, details: ToolLogDetails = {}): void => {
        log[level](message, details);
        if (runId !== undefined) this.#tell(runId, message, details);
      };
    return {
      // Which are for whoever looks for a mistake in the tool.
      debug: (message, details) => {
        log.debug(message, details);
      },
      info: line("info"),
      warn: line("warn"),
      error: line("error"),
    };
  }

  #tell(run: string, message: string, details: ToolLogDetails): void {
    const listeners = this.#listeners.get(run);
    if (listeners === undefined) return;
    const { progress, total } = details;
    const told: CallProgress = {
      message,
      ...(isFinite(progress) && { progress }),
      ...(isFinite(total) && { total }),
    };
    for (const listener of listeners) listener(told);
  }
}

function isFinite(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
