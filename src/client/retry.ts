import { TransportError, UnexpectedAnswerError } from "./transport-error.js";
import { UnavailableError } from "./wire-errors.js";

export interface RetrySettings {
  /** How often a repeatable request is sent again after its first attempt; 0 for never. */
  readonly retries: number;
  /** A number from 0 up to 1: what spreads the retries of many clients. */
  readonly random: () => number;
}

/** The first backoff is at most this, each further one at most twice the one before, in milliseconds. */
export const BACKOFF_START_MS = 200;
/** No backoff is longer. */
export const BACKOFF_CAP_MS = 5_000;
/** A server that asks for a longer pause than this is not waited for: its error is the caller's to decide. */
export const RETRY_AFTER_CAP_MS = 30_000;

/**
 * How long to wait before a repeatable request is sent again, in milliseconds, or `undefined` when sending it again would
 * not help: the retries are used up, or the server gave an answer that stands.
 *
 * @param attempt how often it was sent, at least 1.
 */
export function retryDelay(error: unknown, attempt: number, settings: RetrySettings): number | undefined {
  if (attempt > settings.retries) return undefined;
  const pause = backoff(attempt, settings.random);
  if (error instanceof TransportError) return pause;
  // What a proxy says while the server behind it restarts.
  if (error instanceof UnexpectedAnswerError) return isGatewayStatus(error.status) ? pause : undefined;
  if (!(error instanceof UnavailableError)) return undefined;
  const { retryAfterMs } = error;
  if (retryAfterMs === undefined) return error.code === "shutting_down" ? pause : undefined;
  return retryAfterMs > RETRY_AFTER_CAP_MS ? undefined : retryAfterMs + pause;
}

/** A pause that grows twofold with each attempt up to a cap, spread over its upper half. */
export function backoff(attempt: number, random: () => number): number {
  const full = Math.min(BACKOFF_CAP_MS, BACKOFF_START_MS * 2 ** Math.min(attempt - 1, 30));
  return full / 2 + (random() * full) / 2;
}

function isGatewayStatus(status: number | undefined): boolean {
  return status === 502 || status === 503 || status === 504;
}
