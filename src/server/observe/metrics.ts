import { isFailureOutput, isSuspensionOutput } from "../../contract/reserved.js";
import type { Envelope, Payloads } from "../../log/events.js";
import type { EventStore } from "../../store/event-store.js";
import type { ErrorCode } from "../api-error.js";
import type { OpenStreams } from "../stream/open-streams.js";
import { Bins } from "./bins.js";
import { OpenWrites } from "./open-writes.js";
import { Tally } from "./tally.js";

/** How many tools are told apart; more would be a mistake in somebody's declarations, not a reason to grow. */
const MAX_TOOLS = 500;

/** What an append may take, in seconds. */
const APPEND_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * What this server counts since it was started. Counting is adding to a number; how Prometheus wants to read that is loaded
 * when it first asks.
 */
export class Metrics {
  readonly intents = new Tally();
  readonly completions = new Tally();
  readonly modelIntents = new Tally();
  readonly modelCompletions = new Tally();
  readonly refusals = new Tally();
  readonly droppedConnections = new Tally();
  readonly appendSeconds = new Bins(APPEND_BOUNDS);
  readonly openWrites: OpenWrites;
  readonly #tools = new Set<string>();
  #exposition: Promise<{ text(): Promise<string>; readonly contentType: string }> | undefined;

  constructor(
    store: EventStore,
    readonly streams: OpenStreams,
    readonly now: () => number,
  ) {
    this.openWrites = new OpenWrites(store);
  }

  /** A request was answered with an error. */
  refused(code: ErrorCode): void {
    this.refusals.add({ code });
  }

  /** Events have become durable. */
  recorded(run: string, events: readonly Envelope[], seconds: number): void {
    this.appendSeconds.observe(seconds);
    for (const { event } of events) {
      switch (event.kind) {
        case "ToolCallRequested":
          this.intents.add({ tool: this.#label(event.payload.tool), effect: event.payload.effect });
          break;
        case "ToolCallCompleted":
          this.completions.add({ result: resultOf(event.payload) });
          break;
        case "ModelCallRequested":
          this.modelIntents.add();
          break;
        case "ModelCallCompleted":
          this.modelCompletions.add();
          break;
        default:
      }
    }
    this.openWrites.appended(run, events);
  }

  /** Everything, in the text format that Prometheus reads, and that format's content type. */
  async read(): Promise<{ readonly text: string; readonly contentType: string }> {
    this.#exposition ??= import("./exposition.js").then(({ Exposition }) => new Exposition(this));
    const exposition = await this.#exposition;
    return { text: await exposition.text(), contentType: exposition.contentType };
  }

  /** Only a tool that was declared when it was asked for gets into a log, and through it to here. */
  #label(tool: string): string {
    if (this.#tools.has(tool)) return tool;
    if (this.#tools.size >= MAX_TOOLS) return "other";
    this.#tools.add(tool);
    return tool;
  }
}

function resultOf({ output, deduplicated_from }: Payloads["ToolCallCompleted"]): string {
  if (deduplicated_from !== undefined) return "copied";
  if (isSuspensionOutput(output)) return "suspended";
  if (!isFailureOutput(output)) return "completed";
  return output.__salvor_error.attempts === 0 ? "not_performed" : "failed";
}
