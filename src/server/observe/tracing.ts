import type * as OpenTelemetry from "@opentelemetry/api";
import type { Attributes, Span, SpanKind, Tracer, TextMapGetter } from "@opentelemetry/api";
import type { Envelope } from "../../log/events.js";
import type { AroundCall } from "../../runtime/around-call.js";
import { STATUS_OF } from "../api-error.js";
import type { AppContext } from "../context.js";
import { toApiError } from "../error-mapping.js";
import { VERSION } from "../../version.js";
import type { AroundAppend } from "./observed-store.js";

type Api = typeof OpenTelemetry;

/** Spans around what this server does. No attribute holds a payload, a token or a key. */
export interface Tracing {
  /** Around a request; its parent is what the request's headers say. */
  request(ctx: AppContext, next: () => Promise<void>): Promise<void>;
  readonly append: AroundAppend;
  readonly call: AroundCall;
}

/**
 * Where an OpenTelemetry SDK leaves word of itself for every copy of the API package in a process. Without one a span is
 * nothing, and the package need not be loaded.
 */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");

/** Tracing, when the API package is installed and an SDK was registered before; else nothing, at no cost. */
export async function loadTracing(): Promise<Tracing | undefined> {
  if (!Object.hasOwn(globalThis, REGISTERED)) return undefined;
  try {
    return tracingWith(await import("@opentelemetry/api"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

function tracingWith(api: Api): Tracing {
  const tracer = api.trace.getTracer("salvor", VERSION);
  return {
    request: (ctx, next) => {
      const parent = api.propagation.extract(api.context.active(), ctx.req.headers, HEADERS);
      return api.context.with(parent, () =>
        within(api, tracer, ctx.method, api.SpanKind.SERVER, requestOf(ctx), async (span) => {
          await next();
          answered(api, span, ctx);
        }),
      );
    },
    append: (run, events, write) =>
      within(api, tracer, "salvor.append", api.SpanKind.INTERNAL, appendOf(run, events), write),
    call: ({ run, seq, tool, effect }, execute) => {
      const attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "salvor.run.id": run,
        "salvor.seq": seq,
        "salvor.effect": effect,
      };
      const name = `execute_tool ${tool}`;
      return within(api, tracer, name, api.SpanKind.INTERNAL, attributes, async (span) => {
        const end = await execute();
        if (end.outcome === "failed") failed(api, span, end.error);
        return end;
      });
    },
  };
}

async function within<T>(
  api: Api,
  tracer: Tracer,
  name: string,
  kind: SpanKind,
  attributes: Attributes,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(name, { kind, attributes }, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      failed(api, span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

function requestOf(ctx: AppContext): Attributes {
  return {
    "http.request.method": ctx.method,
    // Not its query: that is the caller's own text.
    "url.path": ctx.url.split("?", 1)[0] ?? "",
    "url.scheme": ctx.protocol,
    "network.protocol.version": ctx.req.httpVersion,
    "salvor.request.id": ctx.state.requestId,
  };
}

function answered(api: Api, span: Span, ctx: AppContext): void {
  const route = (ctx as { readonly _matchedRoute?: unknown })._matchedRoute;
  if (typeof route === "string") {
    span.updateName(`${ctx.method} ${route}`);
    span.setAttribute("http.route", route);
  }
  if (ctx.state.run !== undefined) span.setAttribute("salvor.run.id", ctx.state.run);
  span.setAttribute("http.response.status_code", ctx.status);
  if (ctx.state.code === undefined) return;
  span.setAttribute("error.type", ctx.state.code);
  if (ctx.status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
}

function appendOf(run: string, events: readonly Envelope[]): Attributes {
  return {
    "salvor.run.id": run,
    "salvor.event.count": events.length,
    "salvor.event.kinds": events.map(({ event }) => event.kind),
  };
}

/** What kind of failure it was: its message may hold what was sent. */
function failed(api: Api, span: Span, error: unknown): void {
  const { code } = toApiError(error);
  const name = error instanceof Error ? error.name : typeof error;
  span.setAttribute("error.type", STATUS_OF[code] >= 500 ? name : code);
  span.setStatus({ code: api.SpanStatusCode.ERROR });
}

const HEADERS: TextMapGetter<NodeJS.Dict<string | string[]>> = {
  get: (headers, key) => headers[key],
  keys: (headers) => Object.keys(headers),
};
