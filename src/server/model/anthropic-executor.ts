import type { Anthropic } from "@anthropic-ai/sdk";
import type { Stream } from "@anthropic-ai/sdk/core/streaming";
import { isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import { MAX_OUTPUT_DEPTH } from "../../contract/plain-json.js";
import { parseJson } from "../../log/parse-json.js";
import { failureOf } from "./anthropic-failure.js";
import { MessageBuilder, usageOf } from "./message-builder.js";
import type { ModelAnswer, ModelCallOptions, ModelExecutor } from "./model-executor.js";
import { ModelFailure } from "./model-failure.js";
import { watched } from "./watched-body.js";

export interface AnthropicOptions {
  /** A secret. */
  readonly apiKey: string;
  /** Where the Messages API answers; `https://api.anthropic.com` unless given. */
  readonly baseUrl?: string;
  /** How often a call is made again that was not answered, or with 408, 409, 429 or 5xx; 2 unless given. */
  readonly retries?: number;
  /** How long one attempt may wait for the answer to begin, in milliseconds; 10 minutes unless given. */
  readonly timeoutMs?: number;
  /** How long an answer that has begun may be silent, in milliseconds; 2 minutes unless given. */
  readonly silenceMs?: number;
}

interface Sdk {
  readonly client: Anthropic;
  readonly Stream: typeof Stream;
}

/**
 * Calls Claude through the official SDK, which is loaded with the first call. The request is the body of
 * `POST /v1/messages`, the response the message as it came; a call that was not answered had no effect, so it is retried.
 */
export function anthropicExecutor(options: AnthropicOptions): ModelExecutor {
  const { silenceMs = 120_000 } = options;
  let loading: Promise<Sdk> | undefined;
  const load = async (): Promise<Sdk> => {
    loading ??= loadSdk(options).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return {
    async call(request, callOptions) {
      if (!isJsonObject(request))
        throw new ModelFailure("the request is not an object, the body of a message");
      const sdk = await load();
      try {
        return await (callOptions.onDelta === undefined
          ? inOnePiece(sdk, request, callOptions, silenceMs)
          : inPieces(sdk, request, callOptions, silenceMs));
      } catch (error) {
        callOptions.signal.throwIfAborted();
        throw failureOf(error, options.apiKey);
      }
    },
  };
}

async function loadSdk({ apiKey, baseUrl, retries, timeoutMs }: AnthropicOptions): Promise<Sdk> {
  const [sdk, streaming] = await Promise.all([
    import("@anthropic-ai/sdk"),
    import("@anthropic-ai/sdk/core/streaming"),
  ]);
  const client = new sdk.Anthropic({
    apiKey,
    // Said here, so that no other variable of the environment leads the key elsewhere.
    baseURL: baseUrl ?? "https://api.anthropic.com",
    maxRetries: retries ?? 2,
    timeout: timeoutMs ?? 600_000,
    // It would log requests, and trace them with what they hold.
    logLevel: "off",
    openTelemetry: false,
  });
  return { client, Stream: streaming.Stream };
}

/** The endpoint itself, and not `messages.create`: that rewrites some bodies, refuses others, and writes to the console. */
async function post(
  { client }: Sdk,
  body: JsonObject,
  signal: AbortSignal,
  silenceMs: number,
): Promise<Response> {
  return watched(await client.post("/v1/messages", { body, signal }).asResponse(), silenceMs);
}

async function inOnePiece(
  sdk: Sdk,
  request: JsonObject,
  { signal }: ModelCallOptions,
  silenceMs: number,
): Promise<ModelAnswer> {
  const body = Object.fromEntries(Object.entries(request).filter(([name]) => name !== "stream"));
  const answer = await post(sdk, body, signal, silenceMs);
  const message = readJson(await answer.text());
  return { response: message, usage: usageOf(message) };
}

async function inPieces(
  sdk: Sdk,
  request: JsonObject,
  { signal, onDelta }: ModelCallOptions,
  silenceMs: number,
): Promise<ModelAnswer> {
  const answer = await post(sdk, { ...request, stream: true }, signal, silenceMs);
  const message = new MessageBuilder();
  for await (const { data } of sdk.Stream.rawEvents(answer)) {
    if (data === "") continue;
    const delta = message.add(readJson(data));
    if (delta !== undefined) onDelta?.(delta);
  }
  const response = message.finish();
  return { response, usage: usageOf(response) };
}

function readJson(text: string): JsonValue {
  return parseJson(text, { maxDepth: MAX_OUTPUT_DEPTH });
}
