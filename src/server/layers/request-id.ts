import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { AppMiddleware } from "../context.js";

/** What a request may be called: nothing that could break a line of a log, or fill it. */
const NAME = /^[\w.:@/+=-]{1,128}$/;

/** What a request calls itself, or a fresh name where it has none that is fit for a log. */
export function requestIdOf({ headers }: Pick<IncomingMessage, "headers">): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && NAME.test(given) ? given : randomUUID();
}

/** Names the request, for the answer and for every line of the log about it. */
export const withRequestId: AppMiddleware = (ctx, next) => {
  ctx.state.requestId = requestIdOf(ctx.req);
  ctx.set("X-Request-Id", ctx.state.requestId);
  return next();
};
