import type { AppState } from "../app-state.js";
import type { AppMiddleware } from "../context.js";

/** Logs each request once it is answered: what was asked for and how it went, never what was in it. */
export function accessLog(state: AppState): AppMiddleware {
  return async (ctx, next) => {
    const started = performance.now();
    await next();
    state.logger?.info({
      method: ctx.method,
      route: (ctx as { _matchedRoute?: string })._matchedRoute,
      run: ctx.state.run,
      status: ctx.status,
      ms: Math.round((performance.now() - started) * 1000) / 1000,
    });
  };
}
