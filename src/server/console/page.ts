import { ApiError } from "../api-error.js";
import type { AppContext, AppMiddleware } from "../context.js";
import type { PageFile } from "./page-files.js";
import { isPagePath } from "./page-paths.js";

/** The page runs what came with it and talks to the server that it came from; nobody frames it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const ASSETS = "/console/";
const METHODS = "GET, HEAD";

/**
 * The operator's page. It holds no data and asks the API for everything, so that whoever reaches this server may load it. What
 * the page is made of is read when somebody asks for it first.
 */
export function operatorPage(): AppMiddleware {
  let reading: Promise<ReadonlyMap<string, PageFile>> | undefined;
  const read = (): Promise<ReadonlyMap<string, PageFile>> =>
    import("./page-files.js")
      .then(({ readPageFiles }) => readPageFiles())
      .catch((cause: unknown) => {
        reading = undefined;
        throw new ApiError("not_found", "the operator's page was not built: npm run build", { cause });
      });
  return async (ctx, next) => {
    if (!isPagePath(ctx.path)) return next();
    if (ctx.method !== "GET" && ctx.method !== "HEAD") {
      throw new ApiError("method_not_allowed", `${ctx.method} is not a method of ${ctx.path}`, {
        headers: { Allow: METHODS },
      });
    }
    const files = await (reading ??= read());
    const isAsset = ctx.path.startsWith(ASSETS);
    const file = files.get(isAsset ? ctx.path.slice(ASSETS.length) : "index.html");
    if (file === undefined) throw new ApiError("not_found", `the operator's page has no file ${ctx.path}`);
    answer(ctx, file, isAsset);
  };
}

function answer(ctx: AppContext, { type, content, etag }: PageFile, isAsset: boolean): void {
  ctx.set({
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    // An asset's name changes with what is in it.
    "Cache-Control": isAsset ? "public, max-age=31536000, immutable" : "no-cache",
    ETag: etag,
  });
  ctx.status = 200;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.set("Content-Type", type);
  ctx.body = content;
}
