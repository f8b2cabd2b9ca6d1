import type { AppState } from "../app-state.js";
import type { AppRouter } from "../context.js";

/** What the operator declared, for clients to compare their classes with. */
export function clientToolRoutes(state: AppState, router: AppRouter): void {
  router.get("/v1/client-tools", (ctx) => {
    ctx.body = { client_tools: state.clientTools.published() };
  });
}
