import { Readable } from "node:stream";
import type { AppState } from "../app-state.js";
import type { AppContext, AppMiddleware } from "../context.js";

/** Logs each request once it is answered: what was asked for and how it went, and what was in it only where that is wanted. */
export function accessLog(state: AppState): AppMiddleware {
  const { logger } = state;
  if (logger === undefined) return (_ctx, next) => next();
  return async (ctx, next) => {
    const started = performance.now();
    await next();
    logger.info({
      request_id: ctx.state.requestId,
      method: ctx.method,
      route: (ctx as { readonly _matchedRoute?: unknown })._matchedRoute,
      run: ctx.state.run,
      tool: ctx.state.tool,
      status: ctx.status,
      code: ctx.state.code,
      ms: Math.round((performance.now() - started) * 1000) / 1000,
      ...(state.logPayloads && payloads(ctx)),
    });
  };
}

/**
 * What was sent and answered. An answer that is text already is a log, or holds a drive token, which is never logged; a
 * stream has not been answered yet.
 */
function payloads(ctx: AppContext): object {
  return {
    received: ctx.state.received,
    ...(typeof ctx.body !== "string" && !(ctx.body instanceof Readable) && { answered: ctx.body }),
  };
}
