import { VERSION } from "../../version.js";
import { StoreUnavailable } from "../../store/errors.js";
import type { AppState } from "../app-state.js";
import type { AppRouter } from "../context.js";
import { storeUnavailable } from "../error-mapping.js";

/** What this server is and whether it is well. */
export function aboutRoutes(state: AppState, router: AppRouter): void {
  router.get("/v1/capabilities", (ctx) => {
    ctx.body = {
      capabilities: {
        client_tools: true,
        client_runs: true,
        client_models: true,
        hosted_tools: state.hosted.tools !== undefined,
        hosted_models: state.modelExecutor !== undefined,
        steps: true,
        event_stream: true,
        operator_token: state.operatorTokenHash !== undefined,
      },
      server: { version: VERSION },
    };
  });

  router.get("/v1/agents", (ctx) => {
    ctx.body = { agents: [] };
  });

  router.get("/healthz", (ctx) => {
    ctx.body = { status: "ok" };
  });

  router.get("/readyz", (ctx) => {
    const { health } = state.store;
    if (!health.writable) throw storeUnavailable(new StoreUnavailable(health.reason));
    ctx.body = { status: "ready" };
  });
}
