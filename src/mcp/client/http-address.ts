import type { HttpOptions } from "./connect-options.js";

/** @throws TypeError when it is no URL of a web server, or holds a password: that belongs into a header. */
export function httpUrl(url: string | URL): URL {
  const parsed = URL.canParse(String(url)) ? new URL(String(url)) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new TypeError(
      `${JSON.stringify(String(url))} is no URL of an MCP server: write http://... or https://...`,
    );
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new TypeError("the URL of an MCP server holds a user or a password: use headers or bearerToken");
  }
  return parsed;
}

/** @throws TypeError when a header is none. */
export function httpHeaders({ headers = {}, bearerToken }: HttpOptions): Readonly<Record<string, string>> {
  const all = new Headers(headers);
  if (bearerToken !== undefined) all.set("authorization", `Bearer ${bearerToken}`);
  return Object.fromEntries(all);
}
