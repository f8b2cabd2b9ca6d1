import type { JsonValue } from "../contract/json.js";
import type { Envelope } from "../log/events.js";
import type {
  AbandonAnswer,
  CapabilitiesAnswer,
  DeclaredClientTool,
  IntentAnswer,
  ModelIntentAnswer,
  OpenedRun,
  Resolution,
  ResolveAnswer,
  ResumeAnswer,
  RunAnswer,
  RunPage,
  RunQuery,
} from "./answers.js";
import type {
  Ask,
  CallOptions,
  Drive,
  ModelAsk,
  ModelReply,
  OpenRunRequest,
  SalvorClientOptions,
} from "./client-options.js";
import { checkToken, transportOf } from "./client-settings.js";
import { completionErrorOf } from "./error-of.js";
import { bodyText, eventsText } from "./json-text.js";
import { clientRunPath, runPath, runsPath } from "./paths.js";
import * as read from "./readers.js";
import { send, type TransportSettings, type WireRequest } from "./transport.js";
import { UnavailableError, type Report } from "./wire-errors.js";

/**
 * The HTTP interface of a Salvor server, one method an endpoint (docs/http-api.md). It knows no run: what drives one is
 * {@link ClientRun}.
 *
 * Every method throws a {@link SalvorError}: the class says what to decide, `code`, `status` and `details` are the server's.
 * Reads, opens with a run id, events, intents and completions are sent again when their answer was lost, which the server
 * recognises; resolve, resume and abandon never are.
 */
export class SalvorClient {
  readonly #settings: TransportSettings;
  readonly #token: string | undefined;
  readonly #operatorToken: string | undefined;

  /** @throws TypeError when the url is none of a server, or a token is none that a header can carry. */
  constructor(options: SalvorClientOptions) {
    checkToken("token", options.token);
    checkToken("operatorToken", options.operatorToken);
    this.#token = options.token ?? options.operatorToken;
    this.#operatorToken = options.operatorToken ?? options.token;
    this.#settings = transportOf(options);
  }

  /** The tools that the operator declared, sorted by name. */
  async clientTools(options?: CallOptions): Promise<readonly DeclaredClientTool[]> {
    return this.#get("/v1/client-tools", read.readClientTools, options);
  }

  /** What this server can do, and its version. */
  async capabilities(options?: CallOptions): Promise<CapabilitiesAnswer> {
    return this.#get("/v1/capabilities", read.readCapabilities, options);
  }

  /** Whether the server is up. Throws when it does not answer. */
  async healthy(options?: CallOptions): Promise<boolean> {
    return this.#probe("/healthz", options);
  }

  /** Whether the server's store is open and writable. Throws when it does not answer. */
  async ready(options?: CallOptions): Promise<boolean> {
    return this.#probe("/readyz", options);
  }

  /**
   * Opens a run, or takes one over: the drive token before it no longer holds.
   *
   * @throws {@link RunExistsError} when the id is not a client's to open.
   */
  async openRun(request: OpenRunRequest = {}, options?: CallOptions): Promise<OpenedRun> {
    const { runId, agent, input, recordPrompts } = request;
    const body = { run_id: runId, agent, input, record_prompts: recordPrompts };
    return this.#send({
      method: "POST",
      path: "/v1/client-runs",
      body: bodyText(body, "the run"),
      bearer: this.#token,
      repeatable: runId !== undefined,
      read: read.readOpened,
      signal: options?.signal,
    });
  }

  /** What is recorded of a run, from a position on. */
  async log(run: string, fromSeq = 0, options?: CallOptions): Promise<readonly Envelope[]> {
    return this.#get(`${clientRunPath(run)}/log?from_seq=${fromSeq}`, read.readLog, options);
  }

  /**
   * Records events that are no calls, all or none. One that is recorded there already is left as it is.
   *
   * @returns their positions.
   * @throws {@link DivergenceError} when something else is recorded there, or the log's rules do not allow it.
   */
  async appendEvents(
    drive: Drive,
    events: readonly Envelope[],
    options?: CallOptions,
  ): Promise<readonly number[]> {
    return this.#drive(drive, "events", eventsText(events), read.readAppended, options);
  }

  /**
   * Opens a call: from the answer on it is recorded, and may be performed unless it is `settled`. A call that is recorded at
   * this position already is answered as it is recorded.
   *
   * @throws {@link BadRequestError}, {@link UnknownToolError}, {@link DivergenceError}; nothing was recorded then.
   */
  async toolIntent(drive: Drive, ask: Ask, options?: CallOptions): Promise<IntentAnswer> {
    const { seq, tool, input } = ask;
    const body = bodyText({ seq, tool, input }, `a call of ${tool}`);
    return this.#drive(drive, "client-tool-intent", body, read.readIntent, options);
  }

  /**
   * Reports how a call ended. The same report on the same call is recorded once, however often it is sent.
   *
   * @returns the position of the intent.
   * @throws {@link CompletionRefusedError} when the report is not believed, {@link DivergenceError} when another one is recorded.
   */
  async toolCompletion(drive: Drive, seq: number, report: Report, options?: CallOptions): Promise<number> {
    const body = bodyText({ seq, ...report }, `the report on call ${seq}`);
    try {
      return await this.#drive(drive, "client-tool-completion", body, read.readCompleted, options);
    } catch (error) {
      throw completionErrorOf(error, { seq, report });
    }
  }

  /**
   * Opens a model call. One that is recorded at this position with this hash is answered as it is recorded.
   * @throws {@link DivergenceError} when something else is recorded there; nothing was recorded then.
   */
  async modelIntent(drive: Drive, ask: ModelAsk, options?: CallOptions): Promise<ModelIntentAnswer> {
    const { seq, requestHash: request_hash, requestBody: request_body } = ask;
    const body = bodyText({ seq, request_hash, request_body }, "a model call");
    return this.#drive(drive, "client-model-intent", body, read.readModelIntent, options);
  }

  /**
   * Records what the model answered. The same answer to the same call is recorded once, however often it is sent.
   *
   * @returns the position of the intent.
   * @throws {@link DivergenceError} when another one is recorded; `client_completion_refused` when the server makes the call.
   */
  async modelCompletion(
    drive: Drive,
    seq: number,
    reply: ModelReply,
    options?: CallOptions,
  ): Promise<number> {
    const body = bodyText({ seq, response: reply.response, usage: reply.usage }, "a model's answer");
    return this.#drive(drive, "client-model-completion", body, read.readCompleted, options);
  }

  /**
   * Settles a call as the run's driver. Where an operator token is configured this client must have it.
   * Never sent again by itself: when the answer is lost, read the run.
   */
  async resolveClientRun(
    drive: Drive,
    resolution: Resolution,
    options?: CallOptions,
  ): Promise<ResolveAnswer> {
    return this.#send({
      method: "POST",
      path: `${clientRunPath(drive.run)}/resolve`,
      body: bodyText(resolution, "the decision"),
      bearer: this.#operatorToken,
      driveToken: drive.driveToken,
      repeatable: false,
      read: read.readResolved,
      signal: options?.signal,
    });
  }

  /** One page of runs, oldest first; every run when no limit is asked for. */
  async runs(query: RunQuery = {}, options?: CallOptions): Promise<RunPage> {
    return this.#get(runsPath(query), read.readRuns, options);
  }

  /** @throws {@link UnknownRunError} when there is none, or it has no event yet. */
  async run(run: string, options?: CallOptions): Promise<RunAnswer> {
    return this.#get(runPath(run), read.readRun, options);
  }

  /**
   * Settles a call as a person who looked it up. Never sent again by itself: when the answer is lost, read the run.
   *
   * @throws {@link WrongStateError} when `seq` is not what is pending, {@link BadRequestError} when the output is not acceptable.
   */
  async resolve(run: string, resolution: Resolution, options?: CallOptions): Promise<ResolveAnswer> {
    return this.#decide(run, "resolve", resolution, read.readResolved, options);
  }

  /**
   * Answers a run that is suspended or over its budget. Never sent again by itself: when the answer is lost, read the run.
   *
   * @param decision.seq the suspension that was judged: if the run waits for something else by now, nothing is recorded.
   * @throws {@link BadRequestError} when the input is not acceptable, {@link WrongStateError} when the run does not wait for it.
   */
  async resume(
    run: string,
    decision: { readonly seq: number; readonly input: JsonValue },
    options?: CallOptions,
  ): Promise<ResumeAnswer> {
    return this.#decide(run, "resume", decision, read.readResumed, options);
  }

  /**
   * Ends a run that nobody will finish. Never sent again by itself: when the answer is lost, read the run.
   *
   * @param decision.seq what is pending, when something is: if it is not by now, nothing is recorded.
   */
  async abandon(
    run: string,
    decision: { readonly reason?: string; readonly seq?: number } = {},
    options?: CallOptions,
  ): Promise<AbandonAnswer> {
    return this.#decide(run, "abandon", decision, read.readAbandoned, options);
  }

  async #get<T>(path: string, reader: (body: JsonValue) => T, options?: CallOptions): Promise<T> {
    return this.#send({
      method: "GET",
      path,
      bearer: this.#token,
      repeatable: true,
      read: reader,
      signal: options?.signal,
    });
  }

  async #drive<T>(
    { run, driveToken }: Drive,
    verb: string,
    body: string,
    reader: (body: JsonValue) => T,
    options?: CallOptions,
  ): Promise<T> {
    return this.#send({
      method: "POST",
      path: `${clientRunPath(run)}/${verb}`,
      body,
      bearer: this.#token,
      driveToken,
      repeatable: true,
      read: reader,
      signal: options?.signal,
    });
  }

  async #decide<T>(
    run: string,
    verb: string,
    decision: object,
    reader: (body: JsonValue) => T,
    options?: CallOptions,
  ): Promise<T> {
    return this.#send({
      method: "POST",
      path: `${runPath(run)}/${verb}`,
      body: bodyText(decision, "the decision"),
      bearer: this.#operatorToken,
      repeatable: false,
      read: reader,
      signal: options?.signal,
    });
  }

  async #probe(path: string, options?: CallOptions): Promise<boolean> {
    try {
      return await this.#send({
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

  async #send<T>(request: WireRequest<T>): Promise<T> {
    return send(request, this.#settings);
  }
}
