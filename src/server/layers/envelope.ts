import type { AppState } from "../app-state.js";
import type { ApiError } from "../api-error.js";
import type { AppMiddleware } from "../context.js";
import { refusalFacts } from "../error-facts.js";
import { toApiError } from "../error-mapping.js";
import type { Mounted } from "../mounted.js";

/** The body of every answer that is not a success. */
export function errorBody({ code, message, details }: ApiError): string {
  return JSON.stringify({ error: { code, message, ...(details !== undefined && { details }) } });
}

/**
 * Answers every error in the error envelope, and logs what the operator of this server has to know.
 *
 * @param mounted has a form of its own for errors under its path.
 */
export function errorEnvelope(state: AppState, mounted?: Mounted): AppMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toApiError(thrown);
      if (error.status >= 500) {
        const { requestId: request_id, run } = ctx.state;
        const err = refusalFacts(error, state.logPayloads);
        state.logger?.error({ request_id, err, method: ctx.method, run, code: error.code });
      }
      state.observer.metrics.refused(error.code);
      ctx.state.code = error.code;
      ctx.status = error.status;
      ctx.set(error.headers);
      ctx.type = "application/json";
      // Not `ctx.path`, which throws for a target that is no URL.
      const [path] = ctx.url.split("?", 1);
      ctx.body = mounted !== undefined && path === mounted.path ? mounted.errorBody(error) : errorBody(error);
    }
  };
}
