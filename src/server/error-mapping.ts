import { Divergence } from "../runtime/divergence.js";
import {
  Conflict,
  ForeignRun,
  LeaseLost,
  RunErased,
  StoreUnavailable,
  TamperEvident,
  UnknownCursor,
} from "../store/errors.js";
import { ApiError } from "./api-error.js";

/** The answer to an error, whoever threw it. What nobody foresaw is `internal`, and says nothing about our insides. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof Divergence) return new ApiError("divergence", error.message, withDetails(error));
  if (error instanceof Conflict) {
    const { holder } = error;
    const details = holder && { holder: { run_id: holder.run_id, seq: holder.seq } };
    return new ApiError("divergence", error.message, { cause: error, ...(details && { details }) });
  }
  if (error instanceof LeaseLost) return new ApiError("invalid_drive_token", error.message, { cause: error });
  if (error instanceof ForeignRun || error instanceof RunErased) {
    return new ApiError("run_exists", error.message, { cause: error });
  }
  if (error instanceof UnknownCursor) return new ApiError("bad_request", error.message, { cause: error });
  if (error instanceof StoreUnavailable) return storeUnavailable(error);
  if (error instanceof TamperEvident) return new ApiError("internal", error.message, { cause: error });
  return new ApiError("internal", "the server failed on this request; its log has the reason", {
    cause: error,
  });
}

/** The store cannot be written. Why is for this server's log: it may name files. */
export function storeUnavailable(cause: Error): ApiError {
  return new ApiError(
    "store_unavailable",
    "the store does not accept writes now; this server's log says why",
    {
      cause,
      headers: { "Retry-After": "1" },
    },
  );
}

function withDetails({ details }: Divergence) {
  return details === undefined ? {} : { details };
}
