import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../contract/json.js";
import type { Violation } from "../contract/validator.js";
import type { CallPosition } from "../log/events.js";
import { SalvorError } from "./salvor-error.js";
import {
  BadRequestError,
  CompletionRefusedError,
  DivergenceError,
  InvalidDriveTokenError,
  NeedsReconciliationError,
  OperatorRequiredError,
  RunExistsError,
  UnauthorizedError,
  UnavailableError,
  UnknownRunError,
  UnknownToolError,
  WrongStateError,
  type OpenIntent,
  type RefusedCompletion,
} from "./wire-errors.js";

/** An answer that refuses: its status, what its headers say about asking again, and its body. */
export interface ErrorAnswer {
  readonly status: number;
  readonly retryAfterMs?: number | undefined;
  readonly body: JsonValue;
}

/** The error that an answer stands for, or `undefined` when its body is no error envelope (docs/http-api.md, "Errors"). */
export function errorOf(answer: ErrorAnswer): SalvorError | undefined {
  const envelope = isJsonObject(answer.body) ? ownValue(answer.body, "error") : undefined;
  if (!isJsonObject(envelope)) return undefined;
  const code = ownValue(envelope, "code");
  const message = ownValue(envelope, "message");
  if (typeof code !== "string" || typeof message !== "string") return undefined;
  const found = ownValue(envelope, "details");
  const details = isJsonObject(found) ? found : undefined;
  const fields = { code, status: answer.status, details };

  switch (code) {
    case "bad_request":
      return new BadRequestError(message, fields, violationsIn(details));
    case "unauthorized":
      return new UnauthorizedError(message, fields);
    case "missing_drive_token":
    case "invalid_drive_token":
      return new InvalidDriveTokenError(message, fields);
    case "operator_required":
      return new OperatorRequiredError(message, fields);
    case "unknown_run":
      return new UnknownRunError(message, fields);
    case "unknown_tool":
      return new UnknownToolError(message, fields);
    case "divergence":
      return new DivergenceError(message, fields, { holder: holderIn(details) });
    case "run_exists":
      return new RunExistsError(message, fields);
    case "wrong_state":
      return new WrongStateError(message, fields);
    case "needs_reconciliation":
      return new NeedsReconciliationError(message, fields, intentIn(details));
    default:
      return answer.status === 503
        ? new UnavailableError(message, fields, answer.retryAfterMs)
        : new SalvorError(message, fields);
  }
}

/** What a report is refused with: sent again as it is, it would be refused again. */
const REPORT_AT_FAULT: ReadonlySet<string> = new Set([
  "client_completion_refused",
  "bad_request",
  "payload_too_large",
]);

/** A refused completion as the decision that it asks for; any other error as it is. */
export function completionErrorOf(error: unknown, refused: RefusedCompletion): unknown {
  if (!(error instanceof SalvorError)) return error;
  if (!REPORT_AT_FAULT.has(error.code)) return error;
  const { code, status, details } = error;
  return new CompletionRefusedError(
    error.message,
    { code, status, details, cause: error },
    { ...refused, violations: error instanceof BadRequestError ? error.violations : [] },
  );
}

function violationsIn(details: JsonObject | undefined): readonly Violation[] {
  const found = details === undefined ? undefined : ownValue(details, "violations");
  return Array.isArray(found) ? (found as readonly Violation[]) : [];
}

function holderIn(details: JsonObject | undefined): CallPosition | undefined {
  const holder = details === undefined ? undefined : ownValue(details, "holder");
  return isJsonObject(holder) ? (holder as unknown as CallPosition) : undefined;
}

function intentIn(details: JsonObject | undefined): OpenIntent | undefined {
  const intent = details === undefined ? undefined : ownValue(details, "intent");
  return isJsonObject(intent) ? (intent as unknown as OpenIntent) : undefined;
}
