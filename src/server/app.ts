import Router from "@koa/router";
import Koa, { type Middleware } from "koa";
import { ApiError } from "./api-error.js";
import type { AppState } from "./app-state.js";
import { operatorPage } from "./console/page.js";
import type { RequestState } from "./context.js";
import { accessLog } from "./layers/access-log.js";
import { bearer } from "./layers/bearer.js";
import { errorEnvelope } from "./layers/envelope.js";
import { notKept } from "./layers/not-kept.js";
import { originRule } from "./layers/origin.js";
import { withRequestId } from "./layers/request-id.js";
import type { Mounted } from "./mounted.js";
import { aboutRoutes } from "./resources/about.js";
import { clientRunRoutes } from "./resources/client-runs.js";
import { clientToolRoutes } from "./resources/client-tools.js";
import { hostedToolRoutes } from "./resources/hosted-tools.js";
import { metricsRoutes } from "./resources/metrics.js";
import { modelStepRoutes } from "./resources/model-step.js";
import { openApiRoutes } from "./resources/open-api.js";
import { runEventRoutes } from "./resources/run-events.js";
import { runRoutes } from "./resources/runs.js";
import { toolStepRoutes } from "./resources/tool-step.js";

/**
 * The control plane as a Koa application, for `startServer` or for a host that mounts it in a server of its own.
 *
 * @param mounted what is served beside it.
 */
export function createApp(state: AppState, mounted?: Mounted): Koa<RequestState> {
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  clientToolRoutes(state, router);
  hostedToolRoutes(state, router);
  clientRunRoutes(state, router);
  modelStepRoutes(state, router);
  toolStepRoutes(state, router);
  runRoutes(state, router);
  runEventRoutes(state, router);
  aboutRoutes(state, router);
  metricsRoutes(state, router);
  openApiRoutes(router);
  if (mounted !== undefined) {
    router.register(mounted.path, [...mounted.methods], (ctx) => mounted.handle(ctx));
  }
  void state.observer.load();

  const app = new Koa<RequestState>();
  // Every error is answered and logged by the envelope; what reaches Koa's own handler is a connection that went away.
  app.silent = true;
  app.use(withRequestId);
  app.use(notKept);
  app.use(accessLog(state));
  app.use(state.observer.request);
  app.use(errorEnvelope(state, mounted));
  app.use(readableTarget);
  app.use(originRule(state, mounted));
  app.use(bearer(state));
  app.use(router.routes());
  app.use(operatorPage());
  app.use((ctx) => {
    const allowed = allowedMethods(router, ctx.path);
    if (allowed.length > 0) {
      throw new ApiError("method_not_allowed", `${ctx.method} is not a method of ${ctx.path}`, {
        headers: { Allow: allowed.join(", ") },
      });
    }
    throw new ApiError("not_found", `there is nothing at ${ctx.path}; docs/http-api.md lists what there is`);
  });
  return app;
}

/** A request target that is no URL would fail wherever its path is looked at first. */
const readableTarget: Middleware = (ctx, next) => {
  let path: string | undefined;
  try {
    ({ path } = ctx);
  } catch {
    // It is not read twice.
  }
  if (path === undefined) {
    throw new ApiError("bad_request", `${JSON.stringify(ctx.url)} is not a request target that can be read`);
  }
  return next();
};

function allowedMethods(router: Router<RequestState>, path: string): readonly string[] {
  return [...new Set(router.match(path, "").path.flatMap((layer) => layer.methods))];
}
