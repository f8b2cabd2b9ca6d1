import { isIP } from "node:net";
import { ApiError } from "../api-error.js";
import type { AppState } from "../app-state.js";
import type { AppMiddleware } from "../context.js";
import type { Mounted } from "../mounted.js";

/**
 * Keeps pages in somebody's browser from reaching this server behind their back: a foreign `Origin` is refused, and, while
 * no client token keeps it from reading and driving, a `Host` that is not loopback, which ends DNS rebinding
 * (docs/security.md, "Browsers").
 */
export function originRule(state: AppState, mounted?: Mounted): AppMiddleware {
  const open = state.clientTokenHash === undefined;
  const { sent = [], shown = [] } = mounted?.headers ?? {};
  const exposed = ["Retry-After", "WWW-Authenticate", "X-Request-Id", ...shown].join(", ");
  const methods = [...new Set(["GET", "POST", ...(mounted?.methods ?? [])])].join(", ");
  const headers = [
    "Authorization",
    "Content-Type",
    "X-Drive-Token",
    "Last-Event-ID",
    "X-Request-Id",
    "traceparent",
    "tracestate",
    ...sent,
  ].join(", ");
  return (ctx, next) => {
    const origin = ctx.get("Origin");
    const allowed = state.allowOrigins.has(origin);
    if (origin !== "" && !allowed && !isOwnOrigin(origin, ctx.get("Host"))) {
      throw new ApiError(
        "forbidden_origin",
        `a page of ${origin} may not call this server; --allow-origin opens it`,
      );
    }
    if (open && !isHarmless(ctx.get("Host"), state.insecure)) {
      throw new ApiError(
        "forbidden_origin",
        `no client token is configured, so ${JSON.stringify(ctx.get("Host"))} is not a host to call this server by: start it with --auth-token`,
      );
    }
    if (allowed) {
      ctx.set("Access-Control-Allow-Origin", origin);
      ctx.set("Access-Control-Expose-Headers", exposed);
      ctx.vary("Origin");
      if (ctx.method === "OPTIONS" && ctx.get("Access-Control-Request-Method") !== "") {
        ctx.set("Access-Control-Allow-Methods", methods);
        ctx.set("Access-Control-Allow-Headers", headers);
        ctx.set("Access-Control-Max-Age", "600");
        ctx.status = 204;
        return Promise.resolve();
      }
    }
    return next();
  };
}

function isOwnOrigin(origin: string, host: string): boolean {
  return host !== "" && (origin === `http://${host}` || origin === `https://${host}`);
}

/** Whether a host cannot be a name that somebody else points here: loopback, or any address where other machines may call. */
function isHarmless(host: string, insecure: boolean): boolean {
  // HTTP/1.0 has no Host header, and no browser speaks it.
  if (host === "") return true;
  const name = host.replace(/:\d*$/, "").toLowerCase();
  if (name === "localhost" || name === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(name)) return true;
  return insecure && isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
}
