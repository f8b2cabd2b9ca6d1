import type { JsonValue } from "../contract/json.js";
import type { Envelope } from "../log/events.js";
import type {
  AbandonAnswer,
  CapabilitiesAnswer,
  DeclaredClientTool,
  HostedTool,
  ReplayAnswer,
  Resolution,
  ResolveAnswer,
  ResumeAnswer,
  RunAnswer,
  RunPage,
  RunQuery,
  RunStreamEnd,
} from "./answers.js";
import type { CallOptions, EventsQuery } from "./client-options.js";
import { DrivingClient } from "./driving-client.js";
import { runPath, runsPath } from "./paths.js";
import * as read from "./readers.js";
import { runEvents } from "./run-events.js";
import { UnavailableError } from "./wire-errors.js";

/**
 * The HTTP interface of a Salvor server, one method an endpoint (docs/http-api.md). It knows no run: what drives one is
 * {@link ClientRun}.
 *
 * Every method throws a {@link SalvorError}: the class says what to decide, `code`, `status` and `details` are the server's.
 * Reads, opens with a run id, events, intents, completions and steps are sent again when their answer was lost, which the
 * server recognises; resolve, resume and abandon never are.
 *
 * In the examples of its methods `client` is one, and `drive` drives a run that was opened and has its first event.
 *
 * @example
 * import { SalvorClient } from "salvor/client";
 *
 * const client = new SalvorClient({ url: "http://127.0.0.1:8080" });
 * console.log(await client.ready()); // true
 */
export class SalvorClient extends DrivingClient {
  /**
   * The tools that the operator declared, sorted by name.
   *
   * @example
   * for (const { name, effect } of await client.clientTools()) console.log(name, effect);
   * // find_order read
   * // refund_card write
   */
  async clientTools(options?: CallOptions): Promise<readonly DeclaredClientTool[]> {
    return this.get("/v1/client-tools", read.readClientTools, options);
  }

  /**
   * The tools that the server performs itself, sorted by name.
   *
   * @example
   * for (const { name, effect } of await client.hostedTools()) console.log(name, effect); // look_up read
   */
  async hostedTools(options?: CallOptions): Promise<readonly HostedTool[]> {
    return this.get("/v1/hosted-tools", read.readHostedTools, options);
  }

  /**
   * What this server can do, and its version.
   *
   * @example
   * const { capabilities, server } = await client.capabilities();
   * console.log(server.version, capabilities["hosted_models"]); // 0.1.0 true
   */
  async capabilities(options?: CallOptions): Promise<CapabilitiesAnswer> {
    return this.get("/v1/capabilities", read.readCapabilities, options);
  }

  /**
   * The agents that the server holds definitions of: none.
   *
   * @example
   * console.log(await client.agents()); // []
   */
  async agents(options?: CallOptions): Promise<readonly JsonValue[]> {
    return this.get("/v1/agents", read.readAgents, options);
  }

  /**
   * Whether the server is up. Throws when it does not answer.
   *
   * @example
   * console.log(await client.healthy()); // true
   */
  async healthy(options?: CallOptions): Promise<boolean> {
    return this.#probe("/healthz", options);
  }

  /**
   * Whether the server's store is open and writable. Throws when it does not answer.
   *
   * @example
   * if (!(await client.ready())) console.log("the store cannot be written now");
   */
  async ready(options?: CallOptions): Promise<boolean> {
    return this.#probe("/readyz", options);
  }

  /**
   * One page of runs, oldest first; every run when no limit is asked for.
   *
   * @example
   * const { runs } = await client.runs({ group: "waiting", limit: 20 });
   * for (const { run, status } of runs) console.log(run, status?.state);
   */
  async runs(query: RunQuery = {}, options?: CallOptions): Promise<RunPage> {
    return this.get(runsPath(query), read.readRuns, options);
  }

  /**
   * What a run is at: its state, what is pending, what it cost.
   *
   * @throws {@link UnknownRunError} when there is none, or it has no event yet.
   *
   * @example
   * const { status, pending } = await client.run(drive.run);
   * console.log(status.state, pending); // running null
   */
  async run(run: string, options?: CallOptions): Promise<RunAnswer> {
    return this.get(runPath(run), read.readRun, options);
  }

  /**
   * What a run's log means, and the position that comes next.
   *
   * @example
   * console.log((await client.replay(drive.run)).next_seq); // 1
   */
  async replay(run: string, options?: CallOptions): Promise<ReplayAnswer> {
    return this.get(`${runPath(run)}/replay`, read.readReplay, options);
  }

  /**
   * The events of a run as they become durable, each once and in order. A connection that breaks is taken up again behind the
   * last event; after as many failures in a row as a request is sent again, it throws.
   *
   * @returns what the run rested at when the stream ended.
   * @throws {@link UnknownRunError} when there is no such run.
   *
   * @example
   * const signal = AbortSignal.timeout(60_000);
   * for await (const { seq, event } of client.events(drive.run, { follow: true }, { signal })) {
   *   console.log(seq, event.kind); // 0 RunStarted
   *   break;
   * }
   */
  async *events(
    run: string,
    query: EventsQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<Envelope, RunStreamEnd> {
    const request = { run, ...query, bearer: this.token, signal: options?.signal };
    return yield* runEvents(request, this.settings);
  }

  /**
   * Settles a call as a person who looked it up. Never sent again by itself: when the answer is lost, read the run.
   *
   * @throws {@link WrongStateError} when `seq` is not what is pending, {@link BadRequestError} when the output is not acceptable.
   *
   * @example
   * await client.toolIntent(drive, { seq: 1, tool: "refund_card", input: { order_id: "A-17", amount_cents: 500 } });
   * // Ann has looked the refund up at the provider, by its key.
   * const output = { refund_id: "re_1", amount_cents: 500 };
   * console.log((await client.resolve(drive.run, { seq: 1, output, operator: "Ann" })).resolved); // true
   */
  async resolve(run: string, resolution: Resolution, options?: CallOptions): Promise<ResolveAnswer> {
    return this.decide(run, "resolve", resolution, read.readResolved, options);
  }

  /**
   * Answers a run that is suspended or over its budget. Never sent again by itself: when the answer is lost, read the run.
   *
   * @param decision.seq the suspension that was judged: if the run waits for something else by now, nothing is recorded.
   * @throws {@link BadRequestError} when the input is not acceptable, {@link WrongStateError} when the run does not wait for it.
   *
   * @example
   * await client.toolIntent(drive, { seq: 1, tool: "find_order", input: { order_id: "A-17" } });
   * const input_schema = { type: "object", required: ["order_id"] };
   * await client.toolCompletion(drive, 1, { suspend: { reason: "Which A-17?", input_schema } });
   * console.log((await client.resume(drive.run, { seq: 3, input: { order_id: "A-17b" } })).outcome); // resumed
   */
  async resume(
    run: string,
    decision: { readonly seq: number; readonly input: JsonValue },
    options?: CallOptions,
  ): Promise<ResumeAnswer> {
    return this.decide(run, "resume", decision, read.readResumed, options);
  }

  /**
   * Ends a run that nobody will finish. Never sent again by itself: when the answer is lost, read the run.
   *
   * @param decision.seq what is pending, when something is: if it is not by now, nothing is recorded.
   *
   * @example
   * console.log((await client.abandon(drive.run, { reason: "the ticket was withdrawn" })).status.state); // abandoned
   */
  async abandon(
    run: string,
    decision: { readonly reason?: string; readonly seq?: number } = {},
    options?: CallOptions,
  ): Promise<AbandonAnswer> {
    return this.decide(run, "abandon", decision, read.readAbandoned, options);
  }

  async #probe(path: string, options?: CallOptions): Promise<boolean> {
    try {
      return await this.send({
        method: "GET",
        path,
        repeatable: false,
        read: () => true,
        signal: options?.signal,
      });
    } catch (error) {
      if (error instanceof UnavailableError) return false;
      throw error;
    }
  }
}
