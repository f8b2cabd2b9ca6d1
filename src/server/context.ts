import type Router from "@koa/router";
import type { Context, Middleware } from "koa";
import { parseRunId } from "../log/run-id.js";
import { ApiError } from "./api-error.js";

/** What the layers in front of an endpoint found out about a request. */
export interface RequestState {
  /** What the request is called, in its answer and in the log. */
  requestId: string;
  /** Whether the operator's own token was presented. */
  operatorPresented: boolean;
  /** The error code that the request was answered with. */
  code?: string;
  /** The body as it was read, for a log that holds payloads. */
  received?: unknown;
  /** The run in the path, lower-case; set by the `id` layer. */
  run?: string;
  /** The declared tool that the request is about. */
  tool?: string;
  /** Hash of the drive token that was presented and is current; set by the driver layer. */
  lease?: string;
}

export type AppContext = Context & { state: RequestState; params: Record<string, string> };
export type AppMiddleware = (ctx: AppContext, next: () => Promise<void>) => Promise<void>;
export type AppRouter = Router<RequestState>;

/** The run that the `id` layer read from the path. */
export function runOf(ctx: AppContext): string {
  if (ctx.state.run === undefined) throw new TypeError("this route has no id layer");
  return ctx.state.run;
}

/** The lease that the driver layer checked. */
export function leaseOf(ctx: AppContext): string {
  if (ctx.state.lease === undefined) throw new TypeError("this route has no driver layer");
  return ctx.state.lease;
}

/** Reads the id in the path. */
export const withRunId: Middleware = (ctx, next) => {
  const raw = (ctx as AppContext).params["id"] ?? "";
  const run = parseRunId(raw);
  if (run === undefined)
    throw new ApiError("bad_request", `${JSON.stringify(raw)} is not a run id: a hyphenated UUID`);
  ctx.state["run"] = run;
  return next();
};

/** The one value of a query parameter, or `undefined`; given twice it is refused, whichever was meant. */
export function queryParameter(ctx: Context, name: string): string | undefined {
  const value = ctx.query[name];
  if (Array.isArray(value))
    throw new ApiError("bad_request", `the query parameter ${name} is given more than once`);
  return value;
}

/** A query parameter that counts something, or `undefined`. */
export function queryCount(ctx: Context, name: string, minimum: number): number | undefined {
  const raw = queryParameter(ctx, name);
  if (raw === undefined) return undefined;
  const count = /^\d+$/.test(raw) ? Number(raw) : Number.NaN;
  // What is beyond every count is as good as the largest: a client may say "all" that way.
  if (count >= minimum) return Math.min(count, Number.MAX_SAFE_INTEGER);
  throw new ApiError(
    "bad_request",
    `the query parameter ${name} is ${JSON.stringify(raw)}, which is not a whole number from ${minimum}`,
  );
}
