import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  type MetricObjectWithValues,
  type MetricType,
  type MetricValueWithName,
  Registry,
} from "prom-client";
import type { Bins } from "./bins.js";
import type { Metrics } from "./metrics.js";
import type { Tally } from "./tally.js";

/** Metrics as Prometheus reads them (docs/operations.md, "Metrics"), with those of the process. */
export class Exposition {
  readonly #registry = new Registry();
  readonly contentType = this.#registry.contentType;

  constructor(metrics: Metrics) {
    collectDefaultMetrics({ register: this.#registry });
    this.#counter("salvor_intents_total", "Tool calls that were recorded as asked for.", metrics.intents, [
      "tool",
      "effect",
    ]);
    this.#counter(
      "salvor_completions_total",
      "Tool calls that were recorded as ended.",
      metrics.completions,
      ["result"],
    );
    this.#counter("salvor_model_intents_total", "Model calls recorded as asked for.", metrics.modelIntents);
    this.#counter(
      "salvor_model_completions_total",
      "Model calls recorded as ended.",
      metrics.modelCompletions,
    );
    this.#counter("salvor_refusals_total", "Requests that were answered with an error.", metrics.refusals, [
      "code",
    ]);
    this.#counter(
      "salvor_dropped_connections_total",
      "Connections that were dropped without an answer, because there were too many.",
      metrics.droppedConnections,
    );
    this.#openWrites(metrics);
    this.#gauge("salvor_stream_subscribers", "Event streams that are open.", () => metrics.streams.size);
    const append = {
      name: "salvor_append_duration_seconds",
      help: "How long it took until an append was durable.",
      registers: [this.#registry],
    };
    new CountedHistogram(append, metrics.appendSeconds);
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #counter(name: string, help: string, tally: Tally, labelNames: readonly string[] = []): void {
    new Counter({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const { labels, count } of tally.counts) this.inc(labels, count);
      },
    });
  }

  #gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      async collect() {
        this.set(await read());
      },
    });
  }

  #openWrites({ openWrites, now }: Metrics): void {
    this.#gauge("salvor_open_writes", "Writes without a completion.", async () => {
      const { count } = await openWrites.read();
      return count;
    });
    this.#gauge(
      "salvor_oldest_open_write_age_seconds",
      "For how long the oldest write without a completion is open; 0 when there is none.",
      async () => {
        const { oldest } = await openWrites.read();
        return oldest === undefined ? 0 : Math.max(0, now() - oldest) / 1000;
      },
    );
  }
}

/**
 * A histogram that was counted elsewhere. A registry asks whatever is registered for its values; a gauge is no more than the
 * least that can be.
 */
class CountedHistogram extends Gauge {
  constructor(
    private readonly described: { readonly name: string; readonly help: string; registers: Registry[] },
    private readonly bins: Bins,
  ) {
    super(described);
  }

  override async get(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    const { name } = this.described;
    const { bounds, cumulative, sum } = this.bins;
    const values = [
      ...cumulative.map((value, at) => ({
        labels: { le: bounds[at] ?? "+Inf" },
        value,
        metricName: `${name}_bucket`,
      })),
      { labels: {}, value: sum, metricName: `${name}_sum` },
      { labels: {}, value: cumulative.at(-1) ?? 0, metricName: `${name}_count` },
    ];
    // What the types call a number is the word that the format has.
    const type = "histogram" as unknown as MetricType;
    return { ...(await super.get()), type, values };
  }
}
