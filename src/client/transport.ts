import type { JsonValue } from "../contract/json.js";
import type { JsonPath } from "../log/json-path.js";
import { JsonSyntaxError } from "../log/json-syntax-error.js";
import { MAX_DEPTH, parseJson } from "../log/parse-json.js";
import { errorOf } from "./error-of.js";
import { retryDelay, type RetrySettings } from "./retry.js";
import { ShapeProblem } from "./shape.js";
import { wait } from "./wait.js";
import { TransportError, UnexpectedAnswerError } from "./transport-error.js";

/** The part of the global `fetch` that this client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface WireRequest<T> {
  readonly method: "GET" | "POST";
  /** From `/v1/...` or `/healthz` on, with its query. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
  readonly bearer?: string | undefined;
  readonly driveToken?: string;
  /** Whether sending it twice does what sending it once does. */
  readonly repeatable: boolean;
  readonly signal?: AbortSignal | undefined;
  /** How long one attempt may take, in milliseconds, where that is not what the settings say. */
  readonly timeoutMs?: number | undefined;
  /** Reads the body of a 2xx answer; throws a {@link ShapeProblem} when it is not what it should be. */
  readonly read: (body: JsonValue, status: number) => T;
}

export interface TransportSettings extends RetrySettings {
  readonly url: string;
  readonly fetch: Fetch;
  /** How long one attempt may take, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Sends a request and answers what its 2xx answer says. A repeatable request is sent again, within bounds, when its answer
 * was lost or the server asked to be asked later.
 *
 * @throws a {@link SalvorError}, or the signal's reason when it was aborted.
 */
export async function send<T>(request: WireRequest<T>, settings: TransportSettings): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptOnce(request, settings);
    } catch (error) {
      request.signal?.throwIfAborted();
      const delay = request.repeatable ? retryDelay(error, attempt, settings) : undefined;
      if (delay === undefined) throw error;
      await wait(delay, request.signal);
    }
  }
}

async function attemptOnce<T>(request: WireRequest<T>, settings: TransportSettings): Promise<T> {
  const name = `${request.method} ${request.path.split("?", 1)[0] ?? ""}`;
  const { status, headers, text } = await exchange(name, request, settings);
  try {
    const body = parseJson(text, { u64At: isRandomValue, maxDepth: ANSWER_DEPTH });
    if (status >= 200 && status < 300) return request.read(body, status);
    throw refusalOf(status, headers, body);
  } catch (cause) {
    if (!(cause instanceof JsonSyntaxError || cause instanceof ShapeProblem)) throw cause;
    throw new UnexpectedAnswerError(name, status, cause.message, cause);
  }
}

/**
 * The error that an answer without success stands for.
 *
 * @throws {@link ShapeProblem} when it is no error envelope.
 */
export function refusalOf(status: number, headers: Headers, body: JsonValue): Error {
  const error = errorOf({ status, retryAfterMs: retryAfterMs(headers.get("retry-after")), body });
  if (error === undefined) throw new ShapeProblem("no error envelope");
  return error;
}

interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function exchange(
  name: string,
  request: WireRequest<unknown>,
  settings: TransportSettings,
): Promise<RawAnswer> {
  request.signal?.throwIfAborted();
  const ending = new AbortController();
  const abort = () => {
    ending.abort(request.signal?.reason);
  };
  request.signal?.addEventListener("abort", abort, { once: true });
  const { timeoutMs = settings.timeoutMs } = request;
  const timer = setTimeout(() => {
    ending.abort(new Error(`no answer within ${timeoutMs} ms`));
  }, timeoutMs);
  try {
    const { fetch } = settings;
    const init: RequestInit & { readonly cache: "no-store" } = {
      method: request.method,
      headers: headersOf(request),
      ...(request.body !== undefined && { body: request.body }),
      // A token is for the server it was given for, and a POST must not arrive as a GET.
      redirect: "error",
      // A log that a cache kept does not show a call that another process has opened since.
      cache: "no-store",
      signal: ending.signal,
    };
    const answer = await fetch(settings.url + request.path, init);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  } catch (cause) {
    throw new TransportError(name, ending.signal.aborted ? ending.signal.reason : cause);
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener("abort", abort);
  }
}

/** What every request says of itself. */
export function headersOf({
  body,
  bearer,
  driveToken,
}: Pick<WireRequest<unknown>, "body" | "bearer" | "driveToken">): Record<string, string> {
  return {
    accept: "application/json",
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(driveToken !== undefined && { "x-drive-token": driveToken }),
  };
}

/** An answer wraps a recorded value in a few more levels than the request that brought it. */
export const ANSWER_DEPTH = MAX_DEPTH + 16;

/** `log[n].event.payload.value`: where `RandomObserved` keeps its unsigned 64-bit integer. */
function isRandomValue(path: JsonPath): boolean {
  return (
    path.length === 5 &&
    path[0] === "log" &&
    path[2] === "event" &&
    path[3] === "payload" &&
    path[4] === "value"
  );
}

/** `Retry-After` in milliseconds: a count of seconds, or a date (RFC 9110, 10.2.3). */
export function retryAfterMs(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // An HTTP date begins with a weekday; Date.parse alone reads much else as one.
  const date = /^[A-Z][a-z]+, /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
