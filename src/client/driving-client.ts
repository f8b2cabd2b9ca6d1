import type { JsonValue } from "../contract/json.js";
import type { Envelope } from "../log/events.js";
import type {
  IntentAnswer,
  ModelIntentAnswer,
  OpenedRun,
  Resolution,
  ResolveAnswer,
  ToolStepAnswer,
} from "./answers.js";
import type {
  Ask,
  CallOptions,
  Drive,
  HostedAsk,
  HostedModelAsk,
  ModelAsk,
  ModelReply,
  OpenRunRequest,
} from "./client-options.js";
import type { DriverStep, StepAnswers } from "./driver-steps.js";
import { readSteps, stepsText } from "./driver-steps.js";
import { completionErrorOf } from "./error-of.js";
import { bodyText, eventsText } from "./json-text.js";
import { modelStepEvents, type ModelStepEvent } from "./model-step-events.js";
import { clientRunPath } from "./paths.js";
import * as read from "./readers.js";
import { WireClient } from "./wire-client.js";
import type { Report } from "./wire-errors.js";

/** How long one attempt waits for what the server itself performs, in milliseconds; an attempt after it joins what is under way. */
const HOSTED_TIMEOUT_MS = 15 * 60_000;

/** What the driver of a run says: the part of {@link SalvorClient} under `/v1/client-runs`. */
export class DrivingClient extends WireClient {
  /**
   * Opens a run, or takes one over: the drive token before it no longer holds.
   *
   * @throws {@link RunExistsError} when the id is not a client's to open.
   *
   * @example
   * const { run, drive_token, log } = await client.openRun({ runId: crypto.randomUUID() });
   * const mine = { run, driveToken: drive_token };
   * console.log(log.length, Object.keys(mine).join()); // 0 run,driveToken
   */
  async openRun(request: OpenRunRequest = {}, options?: CallOptions): Promise<OpenedRun> {
    const { runId, agent, input, recordPrompts } = request;
    const body = { run_id: runId, agent, input, record_prompts: recordPrompts };
    return this.send({
      method: "POST",
      path: "/v1/client-runs",
      body: bodyText(body, "the run"),
      bearer: this.token,
      repeatable: runId !== undefined,
      read: (answer, status) => read.readOpened(answer, status, runId),
      signal: options?.signal,
    });
  }

  /**
   * What is recorded of a run, from a position on.
   *
   * @example
   * for (const { seq, event } of await client.log(drive.run)) console.log(seq, event.kind); // 0 RunStarted
   */
  async log(run: string, fromSeq = 0, options?: CallOptions): Promise<readonly Envelope[]> {
    return this.get(
      `${clientRunPath(run)}/log?from_seq=${fromSeq}`,
      (answer) => read.readLog(answer, run),
      options,
    );
  }

  /**
   * Records events that are no calls, all or none. One that is recorded there already is left as it is.
   *
   * @returns their positions.
   * @throws {@link DivergenceError} when something else is recorded there, or the log's rules do not allow it.
   *
   * @example
   * const event = { kind: "NowObserved", payload: { now: new Date().toISOString() } } as const;
   * const envelope = { run_id: drive.run, seq: 1, schema_version: 1, recorded_at: "", event };
   * console.log(await client.appendEvents(drive, [envelope])); // [ 1 ]
   */
  async appendEvents(
    drive: Drive,
    events: readonly Envelope[],
    options?: CallOptions,
  ): Promise<readonly number[]> {
    return this.drive(
      drive,
      "events",
      eventsText(events),
      (answer) => read.readAppended(answer, events),
      options,
    );
  }

  /**
   * Opens a call: from the answer on it is recorded, and may be performed unless it is `settled`. A call that is recorded at
   * this position already is answered as it is recorded.
   *
   * @throws {@link BadRequestError}, {@link UnknownToolError}, {@link DivergenceError}; nothing was recorded then.
   *
   * @example
   * const input = { order_id: "A-17", amount_cents: 500 };
   * const call = await client.toolIntent(drive, { seq: 1, tool: "refund_card", input });
   * if (!call.settled) console.log("refund it under", call.idempotency_key); // refund it under sha256:…
   */
  async toolIntent(drive: Drive, ask: Ask, options?: CallOptions): Promise<IntentAnswer> {
    const { seq, tool, input } = ask;
    const body = bodyText({ seq, tool, input }, `a call of ${tool}`);
    return this.drive(drive, "client-tool-intent", body, (answer) => read.readIntent(answer, seq), options);
  }

  /**
   * Reports how a call ended. The same report on the same call is recorded once, however often it is sent.
   *
   * @returns the position of the intent.
   * @throws {@link CompletionRefusedError} when the report is not believed, {@link DivergenceError} when another one is recorded.
   *
   * @example
   * const input = { order_id: "A-17", amount_cents: 500 };
   * await client.toolIntent(drive, { seq: 1, tool: "refund_card", input });
   * const output = { refund_id: "re_1", amount_cents: 500 };
   * console.log(await client.toolCompletion(drive, 1, { output })); // 1
   */
  async toolCompletion(drive: Drive, seq: number, report: Report, options?: CallOptions): Promise<number> {
    const body = bodyText({ seq, ...report }, `the report on call ${seq}`);
    const reader = (answer: JsonValue) => read.readCompleted(answer, seq);
    try {
      return await this.drive(drive, "client-tool-completion", body, reader, options);
    } catch (error) {
      throw completionErrorOf(error, { seq, report });
    }
  }

  /**
   * Opens a model call. One that is recorded at this position with this hash is answered as it is recorded.
   * @throws {@link DivergenceError} when something else is recorded there; nothing was recorded then.
   *
   * @example
   * const request = { model: "any", messages: [{ role: "user", content: "Refund A-17?" }] };
   * const call = await client.modelIntent(drive, { seq: 1, requestHash: hashValue(request) });
   * console.log(call.settled); // false
   */
  async modelIntent(drive: Drive, ask: ModelAsk, options?: CallOptions): Promise<ModelIntentAnswer> {
    const { seq, requestHash: request_hash, requestBody: request_body } = ask;
    const body = bodyText({ seq, request_hash, request_body }, "a model call");
    return this.drive(
      drive,
      "client-model-intent",
      body,
      (answer) => read.readModelIntent(answer, seq),
      options,
    );
  }

  /**
   * Records what the model answered. The same answer to the same call is recorded once, however often it is sent.
   *
   * @returns the position of the intent.
   * @throws {@link DivergenceError} when another one is recorded; `client_completion_refused` when the server makes the call.
   *
   * @example
   * await client.modelIntent(drive, { seq: 1, requestHash: hashValue("Refund A-17?") });
   * const usage = { input_tokens: 4, output_tokens: 1 };
   * console.log(await client.modelCompletion(drive, 1, { response: "Yes.", usage })); // 1
   */
  async modelCompletion(
    drive: Drive,
    seq: number,
    reply: ModelReply,
    options?: CallOptions,
  ): Promise<number> {
    const body = bodyText({ seq, response: reply.response, usage: reply.usage }, "a model's answer");
    return this.drive(
      drive,
      "client-model-completion",
      body,
      (answer) => read.readCompleted(answer, seq),
      options,
    );
  }

  /**
   * Takes several steps in one request and one durable append, at most 64: all of them or none. Sent again when its answer
   * was lost, it is answered from what is recorded. A call may not be opened and reported on in one request.
   *
   * @returns what each step's own method would, in their order.
   * @throws what a step's own method does, with `details.step`; nothing was recorded then.
   *
   * @example
   * const ask = (seq: number, order_id: string) => ({ seq, tool: "find_order", input: { order_id } });
   * await client.toolIntent(drive, ask(1, "A-17"));
   * const toolCompletion = { seq: 1, report: { output: { paid_cents: 500 } } };
   * const [, next] = await client.steps(drive, [{ toolCompletion }, { toolIntent: ask(3, "A-18") }]);
   * console.log(next.seq, next.settled); // 3 false
   */
  async steps<const S extends readonly DriverStep[]>(
    drive: Drive,
    steps: S,
    options?: CallOptions,
  ): Promise<StepAnswers<S>> {
    return this.drive(drive, "steps", stepsText(steps), (body) => readSteps(body, steps), options);
  }

  /**
   * Has the server perform one of its own tools. Asked again, it joins the call that is under way or answers what is recorded.
   *
   * @throws {@link NeedsReconciliationError} when it is a `write` whose end nobody knows; a {@link SalvorError} with the code
   *   `tool_execution` when the call is recorded as failed.
   *
   * @example
   * const answer = await client.toolStep(drive, { seq: 1, tool: "look_up", input: { order_id: "A-17" } });
   * if ("output" in answer) console.log(answer.output); // { paid_cents: 500 }
   * else console.log("a person is asked:", answer.suspended.reason);
   */
  async toolStep(drive: Drive, ask: HostedAsk, options?: CallOptions): Promise<ToolStepAnswer> {
    const { seq, tool, input, idempotencyKey: idempotency_key } = ask;
    const body = bodyText({ seq, tool, input, idempotency_key }, `a call of ${tool}`);
    return this.drive(drive, "tool-step", body, read.readToolStep, patient(options));
  }

  /**
   * Has the server call a model. Asked again, it joins the call that is under way or answers what is recorded.
   *
   * @throws a {@link SalvorError} with the code `model_execution` when the model failed: the call may be asked for again.
   *
   * @example
   * const { response, usage } = await client.modelStep(drive, { seq: 1, request: { prompt: "Refund A-17?" } });
   * console.log(response, usage.output_tokens); // { text: 'Refund it.' } 3
   */
  async modelStep(drive: Drive, ask: HostedModelAsk, options?: CallOptions): Promise<ModelReply> {
    const body = bodyText({ seq: ask.seq, request: ask.request }, "a model step");
    return this.drive(drive, "model-step", body, read.readModelReply, patient(options));
  }

  /**
   * The same as a stream: what the model says while it says it, and then, as the `complete` event, what is recorded. Asked
   * again by itself only while nothing was heard; when it breaks off after that, {@link modelStep} answers what came of it.
   *
   * @example
   * for await (const event of client.streamModelStep(drive, { seq: 1, request: { prompt: "Refund A-17?" } })) {
   *   if (event.type === "text_delta") console.log(event.text); // Refund it.
   *   if (event.type === "complete") console.log("recorded:", event.response); // recorded: { text: 'Refund it.' }
   * }
   */
  async *streamModelStep(
    drive: Drive,
    ask: HostedModelAsk,
    options?: CallOptions,
  ): AsyncGenerator<ModelStepEvent, void> {
    const body = bodyText({ seq: ask.seq, request: ask.request }, "a model step");
    yield* modelStepEvents(
      this.driving(drive, "model-step?stream=1", body, read.readModelReply, options),
      this.settings,
    );
  }

  /**
   * Settles a call as the run's driver. Where an operator token is configured this client must have it.
   * Never sent again by itself: when the answer is lost, read the run.
   *
   * @example
   * await client.toolIntent(drive, { seq: 1, tool: "refund_card", input: { order_id: "A-17", amount_cents: 500 } });
   * const output = { refund_id: "re_1", amount_cents: 500 };
   * console.log((await client.resolveClientRun(drive, { seq: 1, output })).resolved); // true
   */
  async resolveClientRun(
    drive: Drive,
    resolution: Resolution,
    options?: CallOptions,
  ): Promise<ResolveAnswer> {
    return this.decide(drive, "resolve", resolution, read.readResolved, options);
  }
}

function patient(options: CallOptions = {}) {
  return { ...options, timeoutMs: HOSTED_TIMEOUT_MS };
}
