import type { AppRouter } from "../context.js";

/** The description of this server, as OpenAPI 3.1: made when somebody first asks for it. */
export function openApiRoutes(router: AppRouter): void {
  let text: Promise<string> | undefined;
  router.get("/v1/openapi.json", async (ctx) => {
    text ??= describe(router);
    ctx.type = "application/json";
    ctx.body = await text;
  });
}

/** What is described is what is served: an endpoint of the contract without a route is left out. */
async function describe(router: AppRouter): Promise<string> {
  const { ENDPOINTS, openApi } = await import("../description/open-api.js");
  const served = ENDPOINTS.filter(({ method, path }) =>
    router.stack.some((layer) => layer.path === path && layer.methods.includes(method)),
  );
  return JSON.stringify(openApi(served));
}
