import type { AppMiddleware } from "../context.js";

/** For every answer: it holds what is private, or what may no longer be so in a moment. No cache keeps it. */
export const NOT_KEPT = { "Cache-Control": "no-store" } as const;

export const notKept: AppMiddleware = (ctx, next) => {
  ctx.set(NOT_KEPT);
  return next();
};
