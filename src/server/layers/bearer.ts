import { ApiError } from "../api-error.js";
import type { AppState } from "../app-state.js";
import { isPagePath } from "../console/page-paths.js";
import type { AppMiddleware } from "../context.js";
import { secretMatches } from "../tokens.js";

/** Paths that answer whoever asks: they say whether this server lives, and nothing else. So do those of the operator's page. */
const FOR_ANYONE: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

/**
 * Reads the bearer token. The client token is needed wherever one is configured; the operator token may do everything a
 * client may. A token that matches neither is refused, also where none is needed.
 */
export function bearer(state: AppState): AppMiddleware {
  return (ctx, next) => {
    const token = /^Bearer +(.*)$/i.exec(ctx.get("Authorization"))?.[1];
    const operator = token !== undefined && matches(token, state.operatorTokenHash);
    const client = token !== undefined && matches(token, state.clientTokenHash);
    if (token !== undefined && !operator && !client) {
      throw unauthorized("the bearer token is not one of this server");
    }
    const isForAnyone = FOR_ANYONE.has(ctx.path) || isPagePath(ctx.path);
    if (token === undefined && state.clientTokenHash !== undefined && !isForAnyone) {
      throw unauthorized("this server needs a token: send Authorization: Bearer <token>");
    }
    ctx.state.operatorPresented = operator;
    return next();
  };
}

/** Lets only the operator on, where an operator token is configured; without one, every client counts as the operator. */
export function operatorOnly(state: AppState): AppMiddleware {
  return (ctx, next) => {
    if (state.operatorTokenHash !== undefined && !ctx.state.operatorPresented) {
      throw new ApiError(
        "operator_required",
        "only the operator decides this: send the operator token as the bearer",
      );
    }
    return next();
  };
}

function matches(token: string, hash: string | undefined): boolean {
  return hash !== undefined && secretMatches(token, hash);
}

function unauthorized(message: string): ApiError {
  return new ApiError("unauthorized", message, { headers: { "WWW-Authenticate": "Bearer" } });
}
