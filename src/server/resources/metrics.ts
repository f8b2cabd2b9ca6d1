import type { AppState } from "../app-state.js";
import type { AppRouter } from "../context.js";

/** What this server counts, for Prometheus. */
export function metricsRoutes(state: AppState, router: AppRouter): void {
  router.get("/metrics", async (ctx) => {
    const { text, contentType } = await state.observer.metrics.read();
    ctx.set("Content-Type", contentType);
    ctx.body = text;
  });
}
