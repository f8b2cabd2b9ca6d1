import type { JsonObject } from "../contract/json.js";
import type { Violation } from "../contract/validator.js";

/** The error codes of the wire and the status that each is answered with (docs/http-api.md, "Errors"). */
export const STATUS_OF = {
  bad_request: 400,
  unauthorized: 401,
  missing_drive_token: 401,
  invalid_drive_token: 403,
  client_completion_refused: 403,
  operator_required: 403,
  forbidden_origin: 403,
  unknown_run: 404,
  unknown_tool: 404,
  not_found: 404,
  method_not_allowed: 405,
  divergence: 409,
  run_exists: 409,
  wrong_state: 409,
  needs_reconciliation: 409,
  payload_too_large: 413,
  unsupported_event_kind: 422,
  internal: 500,
  tool_execution: 502,
  model_execution: 502,
  tool_registry_unavailable: 503,
  model_executor_unavailable: 503,
  store_unavailable: 503,
  shutting_down: 503,
} as const;

export type ErrorCode = keyof typeof STATUS_OF;

export interface ApiErrorOptions extends ErrorOptions {
  readonly details?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that is not a success: thrown anywhere in a request, answered as `{"error":{"code","message","details"?}}`. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly details: JsonObject | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: ApiErrorOptions = {},
  ) {
    super(message, options);
    this.status = STATUS_OF[code];
    this.details = options.details;
    this.headers = options.headers ?? {};
  }
}

/** A `bad_request` that a schema refused: what was judged, and every violation in the details. */
export function schemaRefused(what: string, violations: readonly Violation[]): ApiError {
  const first = violations[0];
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more, in details.violations)` : "";
  return new ApiError(
    "bad_request",
    `${what}: ${first === undefined ? "" : `${first.path}: ${first.message}`}${more}`,
    {
      details: { violations: violations.map(({ path, message }) => ({ path, message })) },
    },
  );
}

/** The run does not exist for whoever asked. */
export function unknownRun(run: string): ApiError {
  return new ApiError("unknown_run", `no run ${run}; GET /v1/runs lists the runs of this server`);
}

/**
 * This server does as much at once as it takes on. Of the contract's codes, the one whose holder asks again after a while;
 * a code that a client does not know, or one that blames the request, would make it give up.
 */
export function busy(what: string): ApiError {
  return new ApiError("store_unavailable", `this server has as many ${what} as it takes: ask again shortly`, {
    headers: { "Retry-After": "1" },
  });
}
