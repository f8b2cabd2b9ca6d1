// The least that answers JSON with JSON through Koa and @koa/router.
import Router from "@koa/router";
import Koa from "koa";
import { answer } from "./child.js";
import { readJson } from "./read-json.js";

const router = new Router();
router.post("/v1/client-runs/:id/client-tool-intent", async (ctx) => {
  ctx.body = await readJson(ctx.req);
});
const app = new Koa();
app.use(router.routes());
const server = app.listen(0, "127.0.0.1", () => answer({}, { port: server.address().port }));
