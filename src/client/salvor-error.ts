import type { JsonObject } from "../contract/json.js";

/** What every error of this client carries besides its message. */
export interface SalvorErrorFields {
  /** Stable: what a program decides by, when no class says it. */
  readonly code: string;
  /** The HTTP status of the answer; absent when the client itself decided. */
  readonly status?: number | undefined;
  /** What the server added to its error, as it came. */
  readonly details?: JsonObject | undefined;
  readonly cause?: unknown;
}

/**
 * Everything that this client throws on purpose. The classes below it stand for one decision of the caller each; an answer
 * with a code that has no class of its own is a plain `SalvorError`.
 */
export class SalvorError extends Error {
  override readonly name: string = "SalvorError";
  readonly code: string;
  readonly status: number | undefined;
  readonly details: JsonObject | undefined;

  constructor(message: string, fields: SalvorErrorFields) {
    super(message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.code = fields.code;
    this.status = fields.status;
    this.details = fields.details;
  }
}
