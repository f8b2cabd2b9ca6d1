import type { Logger } from "pino";
import type { Envelope } from "../../log/events.js";
import type { AroundCall } from "../../runtime/around-call.js";
import type { EventStore } from "../../store/event-store.js";
import type { AppMiddleware } from "../context.js";
import { errorFacts } from "../error-facts.js";
import type { OpenStreams } from "../stream/open-streams.js";
import { Metrics } from "./metrics.js";
import { observed } from "./observed-store.js";
import { loadTracing, type Tracing } from "./tracing.js";

export interface ObserverOptions {
  readonly store: EventStore;
  readonly streams: OpenStreams;
  readonly now: () => Date;
  readonly logger: Logger | undefined;
}

/** Everything that looks on: metrics, traces, and the log of what is recorded. It changes nothing. */
export class Observer {
  readonly metrics: Metrics;
  /** The store, looked at. */
  readonly store: EventStore;
  readonly #logger: Logger | undefined;
  #tracing: Tracing | undefined;
  #loading: Promise<void> | undefined;

  constructor({ store, streams, now, logger }: ObserverOptions) {
    this.#logger = logger;
    this.metrics = new Metrics(store, streams, () => now().getTime());
    this.store = observed(store, (run, events, write) => this.#append(run, events, write));
  }

  /** Loads what tracing needs, if anybody traces. */
  load(): Promise<void> {
    this.#loading ??= loadTracing().then(
      (tracing) => {
        this.#tracing = tracing;
      },
      (error: unknown) => {
        this.#logger?.warn(
          { err: errorFacts(error, true) },
          "OpenTelemetry cannot be used; nothing is traced",
        );
      },
    );
    return this.#loading;
  }

  /** The layer around each request. */
  readonly request: AppMiddleware = (ctx, next) =>
    this.#tracing === undefined ? next() : this.#tracing.request(ctx, next);

  readonly call: AroundCall = (call, execute) =>
    this.#tracing === undefined ? execute() : this.#tracing.call(call, execute);

  async #append(run: string, events: readonly Envelope[], write: () => Promise<void>): Promise<void> {
    const started = performance.now();
    await (this.#tracing === undefined ? write() : this.#tracing.append(run, events, write));
    const ms = performance.now() - started;
    this.metrics.recorded(run, events, ms / 1000);
    if (this.#logger?.isLevelEnabled("debug") !== true) return;
    this.#logger.debug({ run, events: events.map(factsOf), ms: Math.round(ms * 1000) / 1000 }, "recorded");
  }
}

/** What a log may say of an event. */
function factsOf({ seq, event }: Envelope): object {
  return { seq, kind: event.kind, ...(event.kind === "ToolCallRequested" && { tool: event.payload.tool }) };
}
